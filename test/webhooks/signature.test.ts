import { expect, test } from 'vitest';
import { signatureHeaders, signStandard } from '../../jobs/webhooks/signature.ts';

const body = Buffer.from('{"test": 2432232314}');

test('the Standard Webhooks signature equals the one of its published example', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

  const signature = signStandard(secret, 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1_614_265_330, body);

  expect(signature).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('a secret in another format is used directly as the key', () => {
  const folded = `whsec_${Buffer.from('a secret of 24 characters').toString('base64')}`;
  const sign = (secret: string) => signStandard(secret, 'id', 1, body);

  expect(sign('a secret of 24 characters')).toBe(sign(folded));
  // Only the prefix is right: too short, or with characters that are not base64.
  for (const other of ['whsec_c2hvcnQ=', `${folded}!`])
    expect(sign(other)).not.toBe(sign(Buffer.from(other.slice(6), 'base64').toString()));
});

test('the headers of both schemes contain one message id, one time and one signature each', () => {
  const sent = { webhook_id: 'the-id', event_type: 'payment.received', attempt: 2, body };

  const headers = signatureHeaders(sent, { current: 'a secret', previous: null }, 1_700_000_000);

  expect(headers).toMatchObject({
    'X-Webhook-Id': 'the-id',
    'webhook-id': 'the-id',
    'X-Webhook-Attempt': '2',
    'X-Webhook-Timestamp': '1700000000',
    'webhook-timestamp': '1700000000',
    'webhook-signature': signStandard('a secret', 'the-id', 17e8, body),
    'X-Hub-Signature-256': headers['X-Webhook-Signature'],
  });
  expect(headers).not.toHaveProperty('X-Webhook-Signature-Next');
});
