import { expect, test } from 'vitest';
import { advanceStatus } from '../../jobs/communications/delivery-status.ts';
import {
  newConversation as converse,
  PROVIDER_SECRET,
  signedHeaders,
} from '../setup/conversation.ts';
import { runJobs } from '../setup/queue.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const conversation = () => converse(stage);

test('only the provider’s own signature over these bytes is accepted', async () => {
  const { call } = await conversation();
  const report = { provider_message_id: 'unknown', status: 'delivered' };
  const raw = JSON.stringify(report);
  const now = Math.floor(Date.now() / 1000);

  const replies = [
    await call('delivery-status', report, {}),
    await call('delivery-status', report, signedHeaders(raw, '', 'another secret of somebody')),
    await call('delivery-status', report, signedHeaders(`${raw} `)),
    await call('delivery-status', report, signedHeaders(raw, String(now - 360))),
    await call('delivery-status', report, signedHeaders(raw, String(now))),
    await call('delivery-status', report, { Authorization: `Bearer ${PROVIDER_SECRET}` }),
    await call('inbound/email', { from: 'a@example.com', message_id: 'm' }),
  ];

  expect(replies.map(({ status }) => status)).toEqual([401, 401, 401, 401, 200, 200, 401]);
  expect(replies[0]?.body.code).toBe('invalid_provider_signature');
});

test('STOP ends text messages with one confirmation, and START resumes them', async () => {
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

test('a message received twice is stored once, even from an unknown sender', async () => {
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

test.each([
  ['sent', 'delivered', 'delivered'],
  ['delivered', 'sent', null],
  ['delivered', 'bounce', 'bounced'],
  ['opened', 'delivered', null],
  ['failed', 'delivered', 'delivered'],
  ['sent', 'something new', null],
  ['delivered', 'unsubscribe', 'opened'],
])('a message that is %s and is reported %s becomes %s', (current, reported, status) => {
  expect(advanceStatus(current, reported)).toBe(status);
});

test('delivery reports update a message, and a bounce marks the address as not working', async () => {
  const { officer, borrower_id, call, outside } = await conversation();
  await officer.post(`/borrowers/${borrower_id}/emails`, { email: 'ada@example.com' });
  const sent = await officer.post('/communications/send', {
    template_type: 'welcome',
    borrower_id,
    channel: 'email',
  });
  await runJobs(stage, outside, ['send-communication']);
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

/** A sent email, and a function that reports its delivery as the provider does. */
async function reportedEmail() {
  const { officer, borrower_id, call, outside } = await conversation();
  const path = `/borrowers/${borrower_id}/emails`;
  await officer.post(path, { email: 'ada@example.com' });
  const what = { template_type: 'welcome', borrower_id, channel: 'email' };
  const { id } = (await officer.post('/communications/send', what)).body;
  await runJobs(stage, outside, ['send-communication']);
  const report = (status: string, timestamp: string) =>
    call('delivery-status', { provider_message_id: `${id}@fake`, status, timestamp });
  const log = async () => (await officer.get(`/communication-logs/${id}`)).body;
  return { officer, borrower_id, path, report, log };
}

test('a report with an impossible date is dated now', async () => {
  const { report, log } = await reportedEmail();

  const replies = [
    await report('delivered', '+123456-01-01T00:00:00Z'),
    await report('open', '-271821-04-20T00:00:00Z'),
    await report('bounce', '275760'),
  ];
  const { delivered_at, opened_at, failed_at } = await log();

  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  for (const moment of [delivered_at, opened_at, failed_at])
    expect(Math.abs(Date.parse(moment) - Date.now())).toBeLessThan(60_000);
});

test('a click is recorded next to an earlier opening', async () => {
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

test('unsubscribing is an opt-out, not a complaint', async () => {
  const { officer, borrower_id, path, report, log } = await reportedEmail();

  await report('unsubscribe', '2026-01-02T10:00:00Z');
  const emails = await officer.get(path);
  const may = await officer.post('/communications/can-interact', { borrower_id, channel: 'email' });

  expect((await log()).status).toBe('opened');
  expect(emails.body).toMatchObject([{ status: 'unsubscribed' }]);
  expect(may.body.reasons).toContain('channel_opted_out');
});

test('STOP applies to every borrower with that number', async () => {
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

test.each([
  ['its In-Reply-To, in brackets or not', (id: string) => ({ in_reply_to: `${id}@fake` })],
  ['the address that it was sent to', (id: string) => ({ to: `reply+${id}@lender.example` })],
])('an inbound letter is linked to the message that it answers by %s', async (_, said) => {
  const { superadmin, officer, borrower_id, call, outside } = await conversation();
  await superadmin.put('/communications/providers/email', {
    name: 'generic',
    secret: PROVIDER_SECRET,
  });
  await officer.post(`/borrowers/${borrower_id}/emails`, { email: 'ada@example.com' });
  const what = { template_type: 'welcome', borrower_id, channel: 'email' };
  const { id } = (await officer.post('/communications/send', what)).body;
  await runJobs(stage, outside, ['send-communication']);

  const answer = { from: 'ada@example.com', body: 'Thank you', message_id: `answer-${id}` };
  await call('inbound/email', { ...answer, ...said(id) });
  const logs = await officer.get('/communication-logs?direction=inbound');

  expect(logs.body).toMatchObject([{ borrower_id, in_reply_to_id: id, body: 'Thank you' }]);
});
