import { expect, test } from 'vitest';
import { checkContacts, type PlannedContact } from '../../jobs/communications/check-contacts.ts';
import { sendCommunication } from '../../jobs/communications/send.job.ts';
import { mapConcurrently } from '../../sql/database/batch-by-transaction.ts';
import { newLoan } from '../setup/loans.ts';
import { newOutside } from '../setup/outside.ts';
import { openCase } from '../setup/cases.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const AT_ONCE = 6;

/** A tenant with a full batch of borrowers, each with an email address and a loan. */
async function newBorrowers() {
  const tenant = await stage.tenant();
  const { officer } = tenant;
  const admin = await tenant.signedIn('admin');
  const template = await admin.post('/communication-templates', {
    name: 'Reminder',
    template_type: 'payment_reminder',
    channel: 'email',
    subject: 'Loan {{ loan.number }}',
    body: '<p>{{ borrower.name }}</p>',
  });
  const template_id = template.body.id as string;
  const borrowers: { borrower_id: string; loan_id: string; loan_number: string }[] = [];
  for (let made = 0; made < AT_ONCE; made += 1) {
    const { id, borrower_id } = await newLoan(tenant);
    const { loan_number } = (await officer.get(`/loans/${id}`)).body;
    await officer.put(`/borrowers/${borrower_id}`, { last_name: `The ${made}th` });
    await officer.post(`/borrowers/${borrower_id}/emails`, { email: `b${made}@example.com` });
    borrowers.push({ borrower_id, loan_id: id, loan_number });
  }
  const outside = newOutside(stage.pool);
  const attempt = (log_id: string, world = outside) =>
    sendCommunication.run({ tenant_id: tenant.id, log_id, attempt: 1 }, world);
  const ordered = async () => {
    const ids: string[] = [];
    for (const { borrower_id, loan_id } of borrowers) {
      const message = { template_id, borrower_id, loan_id };
      ids.push((await officer.post('/communications/send', message)).body.id);
    }
    return ids;
  };
  return { tenant, officer, borrowers, template_id, outside, attempt, ordered };
}

const logsOf = async (tenantId: string) => {
  const { rows } = await stage.owner.query<Log>(
    `select id, borrower_id, status, attempts, provider_message_id, xmin::text as written_by
     from communication_logs where tenant_id = $1 and direction = 'outbound' order by id`,
    [tenantId],
  );
  return rows;
};
type Log = Record<'id' | 'borrower_id' | 'status' | 'provider_message_id' | 'written_by', string>;

test('a tenant’s simultaneous emails share transactions, and each keeps its own content', async () => {
  const { tenant, borrowers, outside, attempt, ordered } = await newBorrowers();
  const ids = await ordered();

  await Promise.all(ids.map((id) => attempt(id)));
  await Promise.all(ids.map((id) => attempt(id)));

  const logs = await logsOf(tenant.id);
  expect(logs).toMatchObject(ids.map((id) => ({ id, status: 'sent', attempts: 1 })));
  expect(logs.map((log) => log.provider_message_id)).toEqual(ids.map((id) => `${id}@fake`));
  expect(new Set(logs.map(({ written_by }) => written_by)).size).toBeLessThan(AT_ONCE);
  const byId = outside.mailbox.toSorted((one, other) =>
    one.message_id < other.message_id ? -1 : 1,
  );
  expect(byId).toMatchObject(
    borrowers.map(({ loan_number }, made) => ({
      message_id: ids[made],
      to: { name: `Grace The ${made}th`, address: `b${made}@example.com` },
      subject: `Loan ${loan_number}`,
    })),
  );
});

test('a borrower who has opted out receives none of the mails in a batch', async () => {
  const { tenant, officer, borrowers, outside, attempt, ordered } = await newBorrowers();
  const ids = await ordered();
  const [first, , third] = borrowers;
  await officer.put(`/borrowers/${first?.borrower_id}`, { do_not_contact: true });
  await openCase(officer, String(third?.borrower_id), 'deceased', { date_of_death: '2026-01-02' });

  await Promise.all(ids.map((id) => attempt(id)));

  const sent = (await logsOf(tenant.id)).map(({ status }) => status);
  expect(sent).toEqual(['failed', 'sent', 'failed', 'sent', 'sent', 'sent']);
  expect(outside.mailbox.map(({ message_id }) => message_id).toSorted()).toEqual(
    ids.filter((_, made) => made !== 0 && made !== 2),
  );
});

test('an email that fails or is refused does not undo others in its batch', async () => {
  const { tenant, outside, attempt, ordered } = await newBorrowers();
  const [refused, unrecorded, ...others] = await ordered();
  const mail: typeof outside.mail = async ({ message_id }) => {
    const failure = { error_code: '550', error_message: 'no such user' };
    if (message_id === refused)
      return { ok: false, provider: 'smtp', temporary: false, ...failure };
    // A provider's message id that another mail already has.
    const known = message_id === unrecorded ? others[0] : message_id;
    return { ok: true, provider: 'smtp', provider_message_id: `${known}@fake` };
  };
  const ids = [refused, ...others, unrecorded].filter((id) => id !== undefined);

  const ended = await Promise.allSettled(ids.map((id) => attempt(id, { ...outside, mail })));

  expect(ended.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  const statuses = Object.fromEntries(
    (await logsOf(tenant.id)).map(({ id, status }) => [id, status]),
  );
  const recorded = [...others, unrecorded].filter((id) => statuses[id ?? ''] === 'sent');
  expect(statuses[refused ?? '']).toBe('failed');
  expect(recorded).toHaveLength(AT_ONCE - 2);
});

test('a job that may no longer write does not hold back the emails of its batch', async () => {
  const { tenant, outside, attempt, ordered } = await newBorrowers();
  const ids = await ordered();
  const over = { ...outside, within: () => Promise.reject(new Error('The job has ended.')) };

  const ended = await Promise.allSettled(ids.map((id, made) => attempt(id, made ? outside : over)));

  expect(ended.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  const statuses = (await logsOf(tenant.id)).map(({ status }) => status);
  expect(statuses).toEqual(['queued', 'sent', 'sent', 'sent', 'sent', 'sent']);
  expect(outside.mailbox).toHaveLength(AT_ONCE - 1);
});

test('messages of a batch that are sent at the same time are each recorded as sent', async () => {
  const { tenant, officer, borrowers, template_id, outside, attempt } = await newBorrowers();
  const borrower_ids = borrowers.map(({ borrower_id }) => borrower_id);
  await officer.post('/communications/send-batch', { template_id, borrower_ids });
  const ids = (await logsOf(tenant.id)).map(({ id }) => id);

  await Promise.all(ids.map((id) => attempt(id)));

  const { body: kept } = await officer.get('/communication-logs?limit=50');
  expect(outside.mailbox).toHaveLength(AT_ONCE);
  for (const { message_id, subject, html } of outside.mailbox) {
    const log = kept.find(({ id }: { id: string }) => id === message_id);
    expect(log).toMatchObject({ status: 'sent', subject });
    expect(html).toContain(log.body);
  }
});

test('the blockers of a contact are the same for one message and for a batch', async () => {
  const { tenant, officer, borrowers, ordered } = await newBorrowers();
  const [first, second, third, fourth] = borrowers.map(({ borrower_id }) => borrower_id);
  await ordered();
  await officer.put(`/borrowers/${first}`, { do_not_contact: true });
  await openCase(officer, String(third), 'cease_and_desist', { received_date: '2020-01-01' });
  await stage.owner.query(
    `update emails set status = 'bounced' where tenant_id = $1 and borrower_id = $2`,
    [tenant.id, fourth],
  );
  await stage.owner.query(
    `update borrowers set email_enabled = false where tenant_id = $1 and id = $2`,
    [tenant.id, second],
  );
  const noon = new Date('2026-01-15T17:00:00Z');
  const plans: PlannedContact[] = borrowers.flatMap(({ loan_id }) =>
    (['email', 'sms', 'letter'] as const).flatMap((channel) => [
      { channel, template_type: 'payment_reminder', loan_id, at: noon },
      { channel, template_type: 'past_due_notice', loan_id: null, at: noon },
    ]),
  );
  const asked = plans.flatMap((plan) =>
    borrowers.map(({ borrower_id }) => ({ borrower_id, plan })),
  );

  const { alone, together } = await tenant.within(async (work) => {
    const ask = ({ borrower_id, plan }: (typeof asked)[number]) =>
      checkContacts(work, [borrower_id], plan);
    const answers: Awaited<ReturnType<typeof ask>>[] = [];
    for (const question of asked) answers.push(await ask(question));
    return { alone: answers, together: await mapConcurrently(asked, ask) };
  });

  expect(together).toEqual(alone);
  const reasons = alone.flatMap((found) =>
    [...found.values()].flatMap((contact) => contact.reasons),
  );
  expect([...new Set(reasons)].toSorted()).toEqual([
    'cease_and_desist',
    'channel_opted_out',
    'contact_invalid',
    'do_not_contact',
    'no_contact_method',
    'recently_contacted',
  ]);
});
