import twilio from 'twilio';
import { expect, test } from 'vitest';
import { twilioSignature } from '../../jobs/communications/providers/twilio.ts';
import { newConversation } from '../setup/conversation.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const TOKEN = 'the token of the account';

test('the signature equals that of the provider’s own library', () => {
  const url = 'https://lender.example/api/v1/communications/webhooks/inbound/sms?a=b';
  const fields = { To: '+12025550100', Body: 'Grüße & more', AccountSid: 'AC1', From: '+1' };

  const signature = twilioSignature(TOKEN, url, fields);

  expect(twilio.validateRequest(TOKEN, signature, url, fields)).toBe(true);
});

/** A tenant that sends text messages through Twilio, and Twilio's callbacks. */
async function connected() {
  const { tenant, superadmin, officer, borrower_id, outside, texts } = await newConversation(stage);
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
  return { officer, borrower_id, call, outside, texts };
}

test('an inbound text from Twilio is stored and answered with an empty response', async () => {
  const { officer, borrower_id, call } = await connected();
  const message = { MessageSid: 'SM1', From: '+12025550123', To: '+12025550100', Body: 'STOP' };

  const forged = await call('inbound/sms', message, 'another token');
  const heard = await call('inbound/sms', message);
  const may = await officer.post('/communications/can-interact', { borrower_id, channel: 'sms' });

  expect(forged).toMatchObject({ status: 401, body: { code: 'invalid_provider_signature' } });
  expect(heard).toMatchObject({ status: 200, body: '' });
  expect(may.body.reasons).toEqual(['channel_opted_out']);
});

test('Twilio reports the delivery of a message', async () => {
  const { call } = await connected();
  const report = { MessageSid: 'SM2', MessageStatus: 'delivered', From: '+1', To: '+2' };

  const reply = await call('delivery-status', report);

  expect(reply).toMatchObject({ status: 200, body: { received: 1, changed: 0 } });
});

test('only providers may send a form body', async () => {
  const { officer } = await connected();

  const reply = await officer.send('POST', '/borrowers', undefined, {
    raw: 'first_name=Ada&last_name=Byron',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });

  expect(reply).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
});

/** The same, with the borrower's messages, consents and contact status. */
async function texting() {
  const ground = await connected();
  const { officer, borrower_id, texts } = ground;
  const given = { consent_type: 'tcpa_sms', contact_value: '+12025550123' };
  // Sends any texts that other tests left in the queue.
  await texts();
  ground.outside.texts.length = 0;
  return {
    ...ground,
    may: async () => {
      const plan = { borrower_id, channel: 'sms' };
      return (await officer.post('/communications/can-interact', plan)).body.reasons as string[];
    },
    consent: async () =>
      (await officer.post(`/borrowers/${borrower_id}/consents`, given)).body.id as string,
    consents: async (id: string) => (await officer.get(`/borrower-consents/${id}`)).body,
    send: async () => {
      const what = { template_type: 'welcome', borrower_id, channel: 'sms' };
      const { id } = (await officer.post('/communications/send', what)).body;
      await texts();
      return id as string;
    },
  };
}

test('opt-outs that Twilio’s Advanced Opt-Out recognizes are applied, in any wording', async () => {
  const { call, texts, may, consent, consents } = await texting();
  const says = (id: string, Body: string, OptOutType: string) =>
    call('inbound/sms', { MessageSid: id, From: '+12025550123', To: '+1', Body, OptOutType });
  const given = await consent();

  await says('SM10', 'Ne m’écrivez plus', 'STOP');
  const stopped = await may();
  const confirmations = await texts();
  const revoked = await consents(given);
  await says('SM11', 'Encore', 'START');
  const started = await may();
  await says('SM12', '?', 'HELP');

  expect(stopped).toContain('channel_opted_out');
  // Twilio itself confirms to the sender.
  expect(confirmations).toEqual([]);
  expect(revoked).toMatchObject({
    status: 'revoked',
    revocation_method: 'sms_keyword',
    revocation_reason: 'Ne m’écrivez plus',
  });
  expect(started).not.toContain('channel_opted_out');
  expect(await texts()).toEqual([expect.stringContaining('STOP ends texts.')]);
});

test('a text that Twilio refuses because the number has opted out ends texts to it', async () => {
  const { call, may, consents, consent, send } = await texting();
  const given = await consent();
  const id = await send();
  const report = { MessageSid: `${id}@fake`, MessageStatus: 'failed', ErrorCode: '21610' };
  const start = { MessageSid: 'SM20', From: '+12025550123', To: '+1', Body: 'START' };

  const heard = await call('delivery-status', report);
  const reported = await may();
  const revoked = await consents(given);
  await call('inbound/sms', start);
  await call('delivery-status', report);
  const started = await may();

  expect(heard.body).toEqual({ received: 1, changed: 1 });
  expect(reported).toContain('channel_opted_out');
  expect(revoked).toMatchObject({ status: 'revoked', revocation_method: 'provider' });
  expect(revoked.revocation_reason).toContain('21610');
  // The report arrived twice, with START in between.
  expect(started).not.toContain('channel_opted_out');
});

test('a text that Twilio rejects immediately for an opt-out also ends texts to the number', async () => {
  const { outside, may, send } = await texting();
  outside.answers.send.push({
    ok: false,
    provider: 'twilio',
    temporary: false,
    is_opted_out: true,
    error_code: '21610',
    error_message: 'Attempt to send to unsubscribed recipient',
  });

  await send();

  expect(await may()).toContain('channel_opted_out');
});
