import { expect, test } from 'vitest';
import { printLetter } from '../../jobs/communications/print-letter.job.ts';
import { sendCommunication } from '../../jobs/communications/send.job.ts';
import type { SendResult } from '../../jobs/external-systems.ts';
import { newLoan } from '../setup/loans.ts';
import { newOutside } from '../setup/outside.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

/** A tenant with a template, and a borrower who can be reached by email and by letter. */
async function correspondence() {
  const tenant = await stage.tenant();
  const { officer } = tenant;
  const admin = await tenant.signedIn('admin');
  const template = await admin.post('/communication-templates', {
    name: 'Reminder',
    template_type: 'payment_reminder',
    channel: 'email',
    subject: 'Loan {{ loan.number }}',
    body: '<p>{{ borrower.name }}, {{ loan.balance | currency(locale) }}, {{ payment_amount }}</p>',
  });
  const loan = await newLoan(tenant);
  const borrower_id = loan.borrower_id;
  await officer.post(`/borrowers/${borrower_id}/emails`, { email: 'grace@example.com' });
  await officer.post(`/borrowers/${borrower_id}/addresses`, {
    street_line_1: '1 Main Street',
    city: 'Arlington',
    state: 'VA',
    postal_code: '22201',
  });
  const outside = newOutside(stage.pool);
  const attempt = (log_id: string, number = 1) =>
    sendCommunication.run({ tenant_id: tenant.id, log_id, attempt: number }, outside);
  const message = { template_id: template.body.id as string, borrower_id, loan_id: loan.id };
  return { tenant, officer, admin, message, borrower_id, loan, outside, attempt };
}

test('a message is rendered from the records, queued, and sent once', async () => {
  const { officer, message, outside, attempt } = await correspondence();

  const sent = await officer.post('/communications/send', {
    ...message,
    context: { payment_amount: '316.00' },
  });
  await attempt(sent.body.id);
  await attempt(sent.body.id);
  const log = await officer.get(`/communication-logs/${sent.body.id}`);

  expect(sent).toMatchObject({
    status: 201,
    body: { status: 'queued', recipient: 'grace@example.com', triggered_by: 'user' },
  });
  expect(sent.body.body).toContain('Grace Hopper, $10,000.00, 316.00');
  expect(outside.mailbox).toMatchObject([
    {
      to: { name: 'Grace Hopper', address: 'grace@example.com' },
      subject: sent.body.subject,
      message_id: sent.body.id,
    },
  ]);
  expect(log.body).toMatchObject({ status: 'sent', provider: 'outbox', attempts: 1 });
});

test('the same message again within a day is blocked, and the log says so', async () => {
  const { officer, message } = await correspondence();

  await officer.post('/communications/send', message);
  const second = await officer.post('/communications/send', message);
  const logs = await officer.get(`/communication-logs?borrower_id=${message.borrower_id}`);

  expect(second).toMatchObject({
    status: 409,
    body: { code: 'communication_blocked', reasons: ['recently_contacted'] },
  });
  expect(logs.body.map(({ status }: { status: string }) => status)).toEqual(['blocked', 'queued']);
});

test('two equal messages at once are one message', async () => {
  const { officer, message } = await correspondence();

  const replies = await Promise.all([
    officer.post('/communications/send', message),
    officer.post('/communications/send', message),
  ]);

  expect(replies.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
    201, 409,
  ]);
});

test('a blocked send with an idempotency key gets the same answer again', async () => {
  const { officer, message, borrower_id } = await correspondence();
  await officer.put(`/borrowers/${borrower_id}`, { do_not_contact: true });
  const headers = { 'Idempotency-Key': 'send-1' };

  const first = await officer.post('/communications/send', message, { headers });
  const second = await officer.post('/communications/send', message, { headers });
  const logs = await officer.get('/communication-logs');

  expect(first).toMatchObject({ status: 409, body: { reasons: ['do_not_contact'] } });
  expect(second).toMatchObject({ status: 409, body: { reasons: ['do_not_contact'] } });
  expect(logs.body).toHaveLength(1);
});

test('a temporary refusal is retried with the same Message-ID, a permanent one is not', async () => {
  const { officer, message, outside, attempt } = await correspondence();
  const busy: SendResult = {
    ok: false,
    provider: 'smtp',
    temporary: true,
    error_code: '450',
    error_message: 'Try later.',
  };
  outside.answers.send.push(busy, { ...busy, temporary: false, error_code: '550' });
  const { body } = await officer.post('/communications/send', message);

  await attempt(body.id);
  const waiting = await officer.get(`/communication-logs/${body.id}`);
  const { rows: jobs } = await stage.owner.query(
    `select round(extract(epoch from run_at - now()))::int as seconds
     from graphile_worker.jobs where key = $1`,
    [`send-communication:${body.id}:2`],
  );
  await attempt(body.id, 2);
  const failed = await officer.get(`/communication-logs/${body.id}`);

  expect(waiting.body).toMatchObject({ status: 'queued', error_code: '450', attempts: 1 });
  expect(jobs).toEqual([{ seconds: 60 }]);
  expect(failed.body).toMatchObject({ status: 'failed', error_code: '550', attempts: 2 });
  expect(outside.mailbox.map(({ message_id }) => message_id)).toEqual([body.id, body.id]);
});

test('a borrower who opts out while a message waits does not get it', async () => {
  const { officer, message, borrower_id, outside, attempt } = await correspondence();
  const { body } = await officer.post('/communications/send', message);

  await officer.put(`/borrowers/${borrower_id}`, { do_not_contact: true });
  await attempt(body.id);

  const log = await officer.get(`/communication-logs/${body.id}`);
  expect(outside.mailbox).toEqual([]);
  expect(log.body).toMatchObject({ status: 'failed', error_code: 'do_not_contact' });
});

test('a letter is printed, stored as a document and laid out for the post', async () => {
  const { tenant, officer, message, outside } = await correspondence();

  const { body } = await officer.post('/communications/send', { ...message, channel: 'letter' });
  const payload = { tenant_id: tenant.id, log_id: body.id, attempt: 1 };
  await printLetter.run(payload, outside);
  await printLetter.run(payload, outside);

  const log = await officer.get(`/communication-logs/${body.id}`);
  const documents = await stage.owner.query(
    `select id, status, source, document_type from documents
     where tenant_id = $1 and document_type = 'correspondence'`,
    [tenant.id],
  );
  expect(body).toMatchObject({
    channel: 'letter',
    recipient: '1 Main Street, Arlington, VA 22201',
  });
  for (const words of ['Grace Hopper', 'Total balance', '$10,000.00', 'How to pay'])
    expect(outside.pages[0]).toContain(words);
  expect([...outside.stored.keys()]).toContain(`${tenant.slug}/outbox/letters/${body.id}.pdf`);
  expect(documents.rows).toEqual([
    {
      id: log.body.document_id,
      status: 'uploaded',
      source: 'generated',
      document_type: 'correspondence',
    },
  ]);
  expect(log.body).toMatchObject({ status: 'sent', provider: 'letters' });
});

test('a batch contacts each borrower once and reports the result for each', async () => {
  const { officer, message, borrower_id, outside, attempt } = await correspondence();
  const silent = await officer.post('/borrowers', { first_name: 'Alan', last_name: 'Kay' });
  const stranger = '00000000-0000-7000-8000-000000000000';

  const { body } = await officer.post('/communications/send-batch', {
    template_id: message.template_id,
    borrower_ids: [borrower_id, borrower_id, silent.body.id, stranger],
    channel: 'email',
  });
  const queued = body.results.find(({ status }: { status: string }) => status === 'queued');
  await attempt(queued.log_id);

  expect(body).toMatchObject({ total: 3, queued: 1, blocked: 1, failed: 1 });
  expect(body.results).toContainEqual({
    borrower_id: stranger,
    status: 'failed',
    reasons: ['not_found'],
  });
  expect(body.results).toContainEqual(
    expect.objectContaining({ borrower_id: silent.body.id, reasons: ['no_contact_method'] }),
  );
  expect(outside.mailbox[0]?.html).toContain('Grace Hopper, $10,000.00');
});

test('a preview shows the message and sends nothing', async () => {
  const { officer, message } = await correspondence();

  const preview = await officer.post('/communications/preview', message);
  const logs = await officer.get('/communication-logs');

  expect(preview).toMatchObject({
    status: 200,
    body: { channel: 'email', body: expect.stringContaining('Grace Hopper') },
  });
  expect(logs.body).toEqual([]);
});

test('the answer whether a borrower may be contacted always includes the reasons', async () => {
  const { officer, borrower_id } = await correspondence();

  const free = await officer.post('/communications/can-interact', {
    borrower_id,
    channel: 'email',
  });
  await officer.put(`/borrowers/${borrower_id}`, { do_not_contact: true });
  const not = await officer.post('/communications/can-interact', { borrower_id, channel: 'sms' });

  expect(free).toMatchObject({ status: 200, body: { can_interact: true, reasons: [] } });
  expect(not.body).toEqual({
    can_interact: false,
    reasons: ['do_not_contact', 'no_contact_method'],
  });
});

test('another borrower’s loan is refused', async () => {
  const { tenant, officer, message } = await correspondence();
  const other = await newLoan(tenant);

  const reply = await officer.post('/communications/send', { ...message, loan_id: other.id });

  expect(reply).toMatchObject({ status: 422, body: { errors: { loan_id: expect.any(String) } } });
});

test('a message about another borrower’s loan is not answered', async () => {
  const { officer, tenant, borrower_id } = await correspondence();
  const { id: loan_id } = await newLoan(tenant);

  const question = { borrower_id, channel: 'email', loan_id };
  const reply = await officer.post('/communications/can-interact', question);

  expect(reply.body.errors).toEqual({ loan_id: 'Must be a loan of this borrower.' });
});
