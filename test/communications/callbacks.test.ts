import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { statusAfter } from '../../jobs/communications/delivery-status.ts';
import { newOutside } from '../setup/outside.ts';
import { drain } from '../setup/queue.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const SECRET = 'the secret of the provider';

const signed = (raw: string, timestamp = '', secret = SECRET) => {
  const text = timestamp === '' ? raw : `${timestamp}.${raw}`;
  const signature = `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;
  return {
    'X-Provider-Signature': signature,
    ...(timestamp !== '' && { 'X-Provider-Timestamp': timestamp }),
  };
};

/** A borrower who has written, and a provider who passes it on. */
async function conversation() {
  const tenant = await stage.tenant();
  const superadmin = await tenant.signedIn('superadmin');
  await superadmin.put('/communications/providers/sms', { name: 'generic', secret: SECRET });
  const { officer } = tenant;
  const borrower = await officer.post('/borrowers', { first_name: 'Ada', last_name: 'Byron' });
  const borrower_id = borrower.body.id as string;
  await officer.post(`/borrowers/${borrower_id}/phones`, { phone_number: '+12025550123' });
  const provider = tenant.anonymous();
  const call = (path: string, body: unknown, headers?: Record<string, string>) => {
    const raw = JSON.stringify(body);
    return provider.send('POST', `/communications/webhooks/${path}`, undefined, {
      raw,
      headers: headers ?? signed(raw),
    });
  };
  let count = 0;
  const says = (body: string, from = '+12025550123') =>
    call('inbound/sms', { from, to: '+12025550100', body, message_id: `m-${(count += 1)}` });
  const outside = newOutside(stage.pool);
  const texts = async () => {
    await drain(stage, outside, ['send-communication']);
    return outside.texts.map(({ body }) => body);
  };
  return { tenant, superadmin, officer, borrower_id, call, says, outside, texts };
}

test('only the provider’s own signature over these bytes is believed', async () => {
  const { call } = await conversation();
  const report = { provider_message_id: 'unknown', status: 'delivered' };
  const raw = JSON.stringify(report);
  const now = Math.floor(Date.now() / 1000);

  const replies = [
    await call('delivery-status', report, {}),
    await call('delivery-status', report, signed(raw, '', 'another secret of somebody')),
    await call('delivery-status', report, signed(`${raw} `)),
    await call('delivery-status', report, signed(raw, String(now - 360))),
    await call('delivery-status', report, signed(raw, String(now))),
    await call('delivery-status', report, { Authorization: `Bearer ${SECRET}` }),
    await call('inbound/email', { from: 'a@example.com', message_id: 'm' }),
  ];

  expect(replies.map(({ status }) => status)).toEqual([401, 401, 401, 401, 200, 200, 401]);
  expect(replies[0]?.body.code).toBe('invalid_provider_signature');
});

test('STOP ends the text messages with one confirmation, and START begins them again', async () => {
  const { officer, borrower_id, says, texts } = await conversation();
  const ask = async () =>
    (await officer.post('/communications/can-interact', { borrower_id, channel: 'sms' })).body
      .reasons;

  await says('Stop.');
  const stopped = await ask();
  await says('START');
  const started = await ask();
  const confirmations = await texts();

  expect(stopped).toEqual(['channel_opted_out']);
  expect(confirmations).toEqual([
    expect.stringContaining('no more text messages'),
    expect.stringContaining('again'),
  ]);
  expect(started).toEqual([]);
});

test('what is received twice is kept once, also from somebody whom nobody knows', async () => {
  const { officer, call } = await conversation();
  const message = {
    from: '+13035550199',
    to: '+12025550100',
    body: 'Who is this?',
    message_id: 'm',
  };

  await call('inbound/sms', message);
  const again = await call('inbound/sms', message);

  const logs = await officer.get('/communication-logs?direction=inbound');
  expect(again.status).toBe(200);
  expect(logs.body).toMatchObject([
    { status: 'received', borrower_id: null, sender: '+13035550199' },
  ]);
});

test('a rule answers what it fits, and not twice within its pause', async () => {
  const { tenant, says, texts } = await conversation();
  const admin = await tenant.signedIn('admin');
  const rule = await admin.post('/auto-responses', {
    name: 'Balance',
    channel: 'sms',
    match_type: 'keyword',
    keywords: ['balance'],
    response_body: '{{ borrower.first_name }}, please sign in.',
  });

  await says('What is my balance?');
  await says('My balance, please');
  await says('Hello');

  expect(rule.status).toBe(201);
  expect(await texts()).toEqual(['Ada, please sign in.']);
});

test.each([
  ['sent', 'delivered', 'delivered'],
  ['delivered', 'sent', null],
  ['delivered', 'bounce', 'bounced'],
  ['opened', 'delivered', null],
  ['failed', 'delivered', 'delivered'],
  ['sent', 'something new', null],
  ['delivered', 'unsubscribe', 'opened'],
])('a message that is %s and is reported %s becomes %s', (current, reported, status) => {
  expect(statusAfter(current, reported)).toBe(status);
});

test('reports move a message on, and a bounce spoils the address', async () => {
  const { officer, borrower_id, call, outside } = await conversation();
  await officer.post(`/borrowers/${borrower_id}/emails`, { email: 'ada@example.com' });
  const sent = await officer.post('/communications/send', {
    template_type: 'welcome',
    borrower_id,
    channel: 'email',
  });
  await drain(stage, outside, ['send-communication']);
  const provider_message_id = `${sent.body.id}@fake`;

  await call('delivery-status', { provider_message_id, status: 'delivered' });
  await call('delivery-status', [{ provider_message_id, status: 'sent' }]);
  const delivered = await officer.get(`/communication-logs/${sent.body.id}`);
  await call('delivery-status', { provider_message_id, status: 'bounce', error_code: '550' });
  const bounced = await officer.get(`/communication-logs/${sent.body.id}`);
  const may = await officer.post('/communications/can-interact', { borrower_id, channel: 'email' });

  expect(delivered.body.status).toBe('delivered');
  expect(bounced.body).toMatchObject({ status: 'bounced', error_code: '550' });
  expect(may.body.reasons).toContain('contact_invalid');
});

test('a rule’s name leaves room for the titles of the tasks that it makes', async () => {
  const { tenant, says, borrower_id } = await conversation();
  const admin = await tenant.signedIn('admin');
  const rule = { channel: 'sms', match_type: 'any', action: 'create_task' };

  const tooLong = await admin.post('/auto-responses', { ...rule, name: 'n'.repeat(151) });
  await admin.post('/auto-responses', { ...rule, name: 'n'.repeat(150) });
  await says('Please call me.');
  const tasks = await admin.get(`/borrowers/${borrower_id}/tasks`);

  expect(Object.keys(tooLong.body.errors)).toEqual(['name']);
  expect(tasks).toMatchObject({ status: 200, body: [{ source: 'system' }] });
});

/** An email that has gone out, and what its provider says of it. */
async function reportedEmail() {
  const { officer, borrower_id, call, outside } = await conversation();
  const path = `/borrowers/${borrower_id}/emails`;
  await officer.post(path, { email: 'ada@example.com' });
  const what = { template_type: 'welcome', borrower_id, channel: 'email' };
  const { id } = (await officer.post('/communications/send', what)).body;
  await drain(stage, outside, ['send-communication']);
  const report = (status: string, timestamp: string) =>
    call('delivery-status', { provider_message_id: `${id}@fake`, status, timestamp });
  const log = async () => (await officer.get(`/communication-logs/${id}`)).body;
  return { officer, borrower_id, path, report, log };
}

test('a click is written down beside the opening before it', async () => {
  const { report, log } = await reportedEmail();

  await report('open', '2026-01-02T10:00:00Z');
  await report('click', '2026-01-02T10:05:00Z');
  await report('click', '2026-01-02T11:00:00Z');

  expect(await log()).toMatchObject({
    status: 'opened',
    opened_at: '2026-01-02T10:00:00.000Z',
    clicked_at: '2026-01-02T10:05:00.000Z',
  });
});

test('whoever unsubscribes has opted out, and has not complained', async () => {
  const { officer, borrower_id, path, report, log } = await reportedEmail();

  await report('unsubscribe', '2026-01-02T10:00:00Z');
  const emails = await officer.get(path);
  const may = await officer.post('/communications/can-interact', { borrower_id, channel: 'email' });

  expect((await log()).status).toBe('opened');
  expect(emails.body).toMatchObject([{ status: 'unsubscribed' }]);
  expect(may.body.reasons).toContain('channel_opted_out');
});

test('STOP counts for everybody who can be reached at the number', async () => {
  const { officer, borrower_id, says, texts } = await conversation();
  const other = (await officer.post('/borrowers', { first_name: 'Bo', last_name: 'Byron' })).body;
  await officer.post(`/borrowers/${other.id}/phones`, { phone_number: '+12025550123' });

  await says('STOP');
  const confirmations = await texts();

  expect(confirmations).toHaveLength(1);
  for (const id of [borrower_id, other.id]) {
    const question = { borrower_id: id, channel: 'sms' };
    const may = await officer.post('/communications/can-interact', question);
    expect(may.body.reasons).toEqual(['channel_opted_out']);
  }
});

const rule = { name: 'Rule', channel: 'sms', match_type: 'any', response_body: 'Hello' };

test('a rule that cannot answer costs nobody’s message', async () => {
  const { tenant, officer, says, texts } = await conversation();
  const admin = await tenant.signedIn('admin');
  const template = { name: 'T', template_type: 'custom', channel: 'sms', body: 'Hello' };
  const { id } = (await admin.post('/communication-templates', template)).body;
  await admin.post('/auto-responses', { ...rule, response_body: null, response_template_id: id });
  await admin.delete(`/communication-templates/${id}`);

  const reply = await says('Is anybody there?');
  const logs = await officer.get('/communication-logs?direction=inbound');

  expect(reply).toMatchObject({ status: 200, body: {} });
  expect(logs.body).toMatchObject([
    { body: 'Is anybody there?', status: 'received', error_code: 'not_answered' },
  ]);
  expect(await texts()).toEqual([]);
});

test('an answer too long for a text message is not sent, and the message is kept', async () => {
  const { tenant, officer, says } = await conversation();
  const admin = await tenant.signedIn('admin');
  await admin.post('/auto-responses', { ...rule, response_body: 'x'.repeat(2_000) });

  const reply = await says('Hello');
  const logs = await officer.get('/communication-logs?direction=inbound');

  expect(reply.status).toBe(200);
  expect(logs.body).toMatchObject([{ error_code: 'not_answered' }]);
});

test('a rule of another language or of a program without a loan says nothing', async () => {
  const { tenant, says, texts } = await conversation();
  const admin = await tenant.signedIn('admin');
  const program_id = await tenant.first('/programs');
  await admin.post('/auto-responses', { ...rule, language: 'es', response_body: 'Hola' });
  await admin.post('/auto-responses', { ...rule, program_id, response_body: 'Member' });
  await admin.post('/auto-responses', { ...rule, language: 'en', response_body: 'Welcome' });

  await says('Hello');

  expect(await texts()).toEqual(['Welcome']);
});

test('a keyword of several words is found as a whole', async () => {
  const { tenant, says, texts } = await conversation();
  const admin = await tenant.signedIn('admin');
  const keywords = ['pay off'];
  await admin.post('/auto-responses', { ...rule, match_type: 'keyword', keywords });

  await says('I pay, so stay off my lawn');
  await says('How do I PAY OFF, please?');

  expect(await texts()).toEqual(['Hello']);
});

test('what a rule answers is checked in both of its parts', async () => {
  const { tenant } = await conversation();
  const admin = await tenant.signedIn('admin');

  const reply = await admin.post('/auto-responses', { ...rule, response_subject: '{{#each x}}' });

  expect(reply.status).toBe(422);
  expect(Object.keys(reply.body.errors)).toEqual(['response_subject']);
});

test.each([
  ['its In-Reply-To, in brackets or not', (id: string) => ({ in_reply_to: `${id}@fake` })],
  ['the address that it was sent to', (id: string) => ({ to: `reply+${id}@lender.example` })],
])('a letter is put with what it answers by %s', async (_, said) => {
  const { superadmin, officer, borrower_id, call, outside } = await conversation();
  await superadmin.put('/communications/providers/email', { name: 'generic', secret: SECRET });
  await officer.post(`/borrowers/${borrower_id}/emails`, { email: 'ada@example.com' });
  const what = { template_type: 'welcome', borrower_id, channel: 'email' };
  const { id } = (await officer.post('/communications/send', what)).body;
  await drain(stage, outside, ['send-communication']);

  const answer = { from: 'ada@example.com', body: 'Thank you', message_id: `answer-${id}` };
  await call('inbound/email', { ...answer, ...said(id) });
  const logs = await officer.get('/communication-logs?direction=inbound');

  expect(logs.body).toMatchObject([{ borrower_id, in_reply_to_id: id, body: 'Thank you' }]);
});
