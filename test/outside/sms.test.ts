import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { smsFailureAnswer, openSms } from '../../workers/outside/sms.ts';

const message = {
  from: '+12025550100',
  to: '+12025550123',
  body: 'Due: $1.00',
  message_id: 'log-1',
};

test('without a provider, a text message is written to a file', async () => {
  const outbox = await mkdtemp(join(tmpdir(), 'outbox-'));
  onTestFinished(() => rm(outbox, { recursive: true }));

  const answer = await openSms({ outbox }).sms(message);

  const text = await readFile(join(outbox, 'log-1.txt'), 'utf8');
  expect(answer).toEqual({ ok: true, provider: 'outbox', provider_message_id: 'log-1' });
  expect(text).toBe('To: +12025550123\r\nFrom: +12025550100\r\n\r\nDue: $1.00\r\n');
});

test.each(['', '2025550123', '+1202555012a', '+1\n2025550123', '../x'])(
  'the number %j is refused permanently',
  async (to) => {
    const answer = await openSms({ outbox: '/nowhere' }).sms({ ...message, to });

    expect(answer).toMatchObject({ ok: false, temporary: false });
  },
);

test('a refusal by Twilio is permanent unless it is about load or our credentials', () => {
  const errors = [
    { status: 400, code: 21211 },
    { status: 429, code: 20429 },
    { status: 401, code: 20003 },
    { status: 503, code: undefined },
    { code: 'ECONNRESET' },
  ].map((fields) => Object.assign(new Error('no'), fields));

  const answers = errors.map(smsFailureAnswer);

  expect(answers.map((answer) => !answer.ok && answer.temporary)).toEqual([
    false,
    true,
    true,
    true,
    true,
  ]);
});

test('a number that has opted out at Twilio is distinguished from other refusals', () => {
  const refusal = (code: number) =>
    smsFailureAnswer(Object.assign(new Error('no'), { status: 400, code }));

  expect(refusal(21610)).toMatchObject({ ok: false, temporary: false, is_opted_out: true });
  expect(refusal(21211)).toMatchObject({ ok: false, is_opted_out: false });
});
