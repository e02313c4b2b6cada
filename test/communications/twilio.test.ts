import twilio from 'twilio';
import { expect, test } from 'vitest';
import { twilioSignature } from '../../jobs/communications/providers/twilio.ts';
import { conversation } from '../setup/conversation.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const TOKEN = 'the token of the account';

test('the signature is the one that the provider’s own library expects', () => {
  const url = 'https://lender.example/api/v1/communications/webhooks/inbound/sms?a=b';
  const fields = { To: '+12025550100', Body: 'Grüße & more', AccountSid: 'AC1', From: '+1' };

  const signature = twilioSignature(TOKEN, url, fields);

  expect(twilio.validateRequest(TOKEN, signature, url, fields)).toBe(true);
});

/** A tenant whose text messages go through Twilio, and Twilio calling. */
async function connected() {
  const { tenant, superadmin, officer, borrower_id } = await conversation(stage);
  await superadmin.put('/communications/providers/sms', { name: 'twilio', secret: TOKEN });
  const call = (path: string, fields: Record<string, string>, token = TOKEN) => {
    const url = `/communications/webhooks/${path}`;
    const signature = twilioSignature(token, `http://${tenant.host}/api/v1${url}`, fields);
    return tenant.anonymous().send('POST', url, undefined, {
      raw: new URLSearchParams(fields).toString(),
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        'X-Twilio-Signature': signature,
      },
    });
  };
  return { officer, borrower_id, call };
}

test('a text message that Twilio passes on is heard, and answered with nothing', async () => {
  const { officer, borrower_id, call } = await connected();
  const message = { MessageSid: 'SM1', From: '+12025550123', To: '+12025550100', Body: 'STOP' };

  const forged = await call('inbound/sms', message, 'another token');
  const heard = await call('inbound/sms', message);
  const may = await officer.post('/communications/can-interact', { borrower_id, channel: 'sms' });

  expect(forged).toMatchObject({ status: 401, body: { code: 'invalid_provider_signature' } });
  expect(heard).toMatchObject({ status: 200, body: '' });
  expect(may.body.reasons).toEqual(['channel_opted_out']);
});

test('Twilio reports what became of a message', async () => {
  const { call } = await connected();
  const report = { MessageSid: 'SM2', MessageStatus: 'delivered', From: '+1', To: '+2' };

  const reply = await call('delivery-status', report);

  expect(reply).toMatchObject({ status: 200, body: { received: 1, changed: 0 } });
});

test('a form is a body for providers only', async () => {
  const { officer } = await connected();

  const reply = await officer.send('POST', '/borrowers', undefined, {
    raw: 'first_name=Ada&last_name=Byron',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });

  expect(reply).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
});
