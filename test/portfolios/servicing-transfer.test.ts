import { expect, test } from 'vitest';
import { creditRecords, newReportingTenant, runCreditReports } from '../setup/credit-reporting.ts';
import { newBorrower, newJointLoan } from '../setup/joint-loans.ts';
import { balancesByRole } from '../setup/ledger.ts';
import { newLoan } from '../setup/loans.ts';
import { assertOk } from '../setup/portal.ts';
import { newProduct } from '../setup/products.ts';
import { runJobs, travelTo } from '../setup/queue.ts';
import { LETTERHEAD, saveSettings } from '../setup/settings.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();

const SERVICER = {
  servicer_name: 'Harbor Loan Services',
  servicer_address_line_1: '400 Harbor Street',
  servicer_address_line_2: 'Portland, ME 04101',
  servicer_phone: '800-555-0142',
};

/** The letters about a loan, composed so far. */
async function lettersOf({ officer }: Tenant, loanId: string, type: string) {
  const logs = await officer.get(`/communication-logs?loan_id=${loanId}&template_type=${type}`);
  return logs.body as { borrower_id: string; status: string; body: string; channel: string }[];
}

/** What users did with a transfer, by its history. */
async function historyOf(id: unknown) {
  const { rows } = await stage.owner.query<{ action: string }>(
    `select action from audit_log
     where entity_type = 'servicing_transfers' and entity_id = $1 and actor_type = 'user'
     order by created_at, id`,
    [id],
  );
  return rows.map(({ action }) => action);
}

const sendLetters = () => runJobs(stage, {}, ['send-transfer-notices', 'protect-loans']);

async function newLender(today: string, settings: object = {}) {
  const tenant = await stage.tenant(today);
  await saveSettings(tenant, { ...LETTERHEAD, ...settings });
  const admin = await tenant.signedIn('admin');
  const plan = (more: object) => admin.post('/servicing-transfers', { ...SERVICER, ...more });
  const act = async (id: unknown, action: string, body: object = {}) =>
    admin.post(`/servicing-transfers/${String(id)}/${action}`, body);
  return { tenant, admin, plan, act };
}

async function addAddress({ officer }: Tenant, borrowerId: string) {
  assertOk(
    await officer.post(`/borrowers/${borrowerId}/addresses`, {
      street_line_1: '1 Main Street',
      city: 'Arlington',
      state: 'VA',
      postal_code: '22201',
      is_primary: true,
    }),
  );
}

test('a transfer out needs letters in time, names both servicers to all who owe, and then moves the balances', async () => {
  const { tenant, admin, plan, act } = await newLender('2026-03-02');
  const { id, borrower_id, other } = await newJointLoan(tenant);
  for (const person of [borrower_id, other]) await addAddress(tenant, person);
  const before = await balancesByRole(tenant);

  const early = await plan({ direction: 'out', effective_date: '2026-03-16', loan_ids: [id] });
  const planned = await plan({ direction: 'out', effective_date: '2026-03-18', loan_ids: [id] });
  const again = await plan({ direction: 'out', effective_date: '2026-03-25', loan_ids: [id] });
  const transfer = assertOk(planned);
  const sent = await act(transfer['id'], 'send-notices');
  await sendLetters();
  const letters = await lettersOf(tenant, id, 'goodbye_letter');
  await travelTo(stage, tenant, '2026-03-18');
  const lastDay = (await tenant.officer.get(`/loans/${id}`)).body;
  await travelTo(stage, tenant, '2026-03-19');
  const loan = (await tenant.officer.get(`/loans/${id}`)).body;
  const read = (await admin.get(`/servicing-transfers/${String(transfer['id'])}`)).body;
  const [part] = (await admin.get(`/servicing-transfers/${String(transfer['id'])}/loans`)).body;
  const after = await balancesByRole(tenant);

  expect(early).toMatchObject({ status: 422 });
  expect(early.body.errors.effective_date).toMatch(/at least 15 days.*2026-03-17/);
  expect(again).toMatchObject({ status: 409, body: { code: 'already_planned' } });
  expect(transfer).toMatchObject({
    status: 'planned',
    notices_due_on: '2026-03-03',
    last_payment_date: '2026-03-18',
    first_payment_date: '2026-03-19',
  });
  expect(sent.status, JSON.stringify(sent.body)).toBe(200);
  expect(letters.map(({ borrower_id: to }) => to).toSorted()).toEqual(
    [borrower_id, other].toSorted(),
  );
  for (const { body, status, channel } of letters) {
    expect([status, channel]).toEqual(['queued', 'letter']);
    for (const fact of [SERVICER.servicer_name, '400 Harbor Street, Portland, ME 04101'])
      expect(body).toContain(fact);
    expect(body).toMatch(/March 18, 2026.*March 19, 2026/s);
    expect(body).toMatch(/800-555-0142/);
    expect(body).not.toMatch(/automatic payments/i);
  }
  expect(lastDay.status).toBe('active');
  expect(loan).toMatchObject({ status: 'transferred', principal_balance: '0.00' });
  expect(read).toMatchObject({ status: 'completed', transferred_count: 1, notices_sent_count: 1 });
  expect(part).toMatchObject({
    status: 'transferred',
    principal_balance: '10000.00',
    accrued_interest: '37.26',
    transferred_on: '2026-03-18',
  });
  expect(after).toEqual({
    ...before,
    loans_receivable: undefined,
    due_to_investors: '10037.26',
    interest_income: '-37.26',
  });
  expect(await violationsIn(stage)).toEqual([]);
});

test('goodbye letters that would be late are refused, and a loan whose letter is missing stays', async () => {
  const { tenant, admin, plan, act } = await newLender('2026-03-02');
  const [one, other] = [await newLoan(tenant), await newLoan(tenant)];
  await addAddress(tenant, one.borrower_id);
  const late = assertOk(
    await plan({ direction: 'out', effective_date: '2026-03-18', loan_ids: [one.id] }),
  );
  const partly = assertOk(
    await plan({ direction: 'out', effective_date: '2026-03-20', loan_ids: [other.id] }),
  );
  await act(partly['id'], 'send-notices');
  await sendLetters();
  await travelTo(stage, tenant, '2026-03-04');
  const refused = await act(late['id'], 'send-notices');
  const canceled = await act(late['id'], 'cancel');
  await travelTo(stage, tenant, '2026-03-22');
  const waiting = (await tenant.officer.get(`/loans/${other.id}`)).body;
  const tasks = (await tenant.officer.get(`/tasks?loan_id=${other.id}&status=open`)).body;
  const noted = await act(partly['id'], 'record-notices', { loan_ids: [other.id] });
  await travelTo(stage, tenant, '2026-03-23');
  const gone = (await tenant.officer.get(`/loans/${other.id}`)).body;
  const kept = (await tenant.officer.get(`/loans/${one.id}`)).body;

  expect(refused).toMatchObject({
    status: 409,
    body: { code: 'notices_too_late', details: { earliest_effective_date: '2026-03-19' } },
  });
  expect(canceled.body).toMatchObject({ status: 'canceled' });
  expect(waiting.status).toBe('active');
  expect(tasks.map(({ title }: { title: string }) => title)).toContain('Send the goodbye letter');
  expect(noted.body).toMatchObject({ notices_failed_count: 0, notices_sent_count: 1 });
  expect([gone.status, kept.status]).toEqual(['transferred', 'active']);
  const list = (await admin.get('/servicing-transfers?status=completed')).body;
  expect(list.map(({ id }: { id: string }) => id)).toEqual([partly['id']]);
  expect(await historyOf(late['id'])).toEqual(['create', 'cancel']);
  expect(await historyOf(partly['id'])).toEqual(['create', 'send-notices', 'record-notices']);
});

test('autopay and scheduled payments end with the transfer, and money that comes later is forwarded or returned to the cent', async () => {
  const { tenant, admin, plan, act } = await newLender('2026-03-02');
  const [one, other] = [await newLoan(tenant), await newLoan(tenant)];
  for (const { borrower_id } of [one, other]) await addAddress(tenant, borrower_id);
  const scheduled = await tenant.officer.post(`/loans/${one.id}/payments`, {
    amount: '315.68',
    payment_date: '2026-03-30',
  });
  const loan_ids = [one.id, other.id];
  const { id } = assertOk(await plan({ direction: 'out', effective_date: '2026-03-20', loan_ids }));
  await act(id, 'send-notices');
  await sendLetters();
  await travelTo(stage, tenant, '2026-03-21');
  const cashBefore = (await balancesByRole(tenant))['cash'];
  for (const loan of loan_ids)
    assertOk(await tenant.officer.post(`/loans/${loan}/payments`, { amount: '100.00' }));
  assertOk(await tenant.officer.post(`/loans/${one.id}/payments`, { amount: '0.37' }));
  const held = (await admin.get(`/servicing-transfers/${String(id)}/loans`)).body;
  const tasks = (await tenant.officer.get('/tasks?status=open')).body;
  const forwarded = await act(id, 'forward-payments', {
    outcome: 'forwarded',
    loan_ids: [one.id],
    reference_number: 'WIRE 7',
  });
  const returned = await act(id, 'forward-payments', { outcome: 'returned' });
  const nothing = await act(id, 'forward-payments', { outcome: 'returned' });
  const open = (await tenant.officer.get('/tasks?status=open')).body;
  const records = (await admin.get(`/servicing-transfers/${String(id)}/payments`)).body;
  const after = await balancesByRole(tenant);

  expect((await tenant.officer.get(`/payments/${scheduled.body.id}`)).body.status).toBe('canceled');
  expect(held.map(({ held_amount }: { held_amount: string }) => held_amount).toSorted()).toEqual([
    '100.00',
    '100.37',
  ]);
  const forward = ({ title }: { title: string }) => title.startsWith('Forward or return');
  expect(tasks.filter(forward)).toHaveLength(2);
  expect(tasks.find(forward).description).toContain('Harbor Loan Services');
  expect(forwarded.body.payments).toMatchObject([{ loan_id: one.id, amount: '100.37' }]);
  expect(returned.body.payments).toMatchObject([{ loan_id: other.id, amount: '100.00' }]);
  expect(nothing.body).toMatchObject({ payments: [], skipped: [] });
  expect(open.filter(forward)).toEqual([]);
  expect(records).toHaveLength(2);
  expect(after['cash']).toBe(cashBefore);
  expect(after['borrower_suspense']).toBeUndefined();
  const [told] = await lettersOf(tenant, other.id, 'payment_misdirected');
  expect(told?.body).toMatch(/returned the money.*Harbor Loan Services/s);
  expect(await historyOf(id)).toContain('forward-payments');
  expect(await violationsIn(stage)).toEqual([]);
});

/** A loan that came from another servicer on 1 March, and is due on the fifth of each month. */
async function boardOne(tenant: Tenant) {
  const product_id = await newProduct(tenant, {
    late_fee_grace_days: 10,
    fee_rules: [{ fee_type: 'late', trigger: 'past_due', calculation: 'flat', amount: '25.00' }],
  });
  const borrower_id = await newBorrower(tenant);
  await addAddress(tenant, borrower_id);
  const boarded = assertOk(
    await tenant.officer.post('/loans/board', {
      borrower_id,
      program_id: await tenant.first('/programs'),
      product_id,
      principal_amount: '12000.00',
      current_principal_balance: '11000.00',
      interest_rate: '0.085',
      term_months: 36,
      origination_date: '2025-11-05',
      first_payment_date: '2025-12-05',
      paid_through_date: '2026-02-05',
    }),
  );
  return { id: String(boarded['id']), borrower_id };
}

const feesOf = async ({ officer }: Tenant, id: string) =>
  (await officer.get(`/loans/${id}/fees`)).body as {
    status: string;
    amount: string;
    amount_waived: string;
  }[];

test('no late fee is charged for 60 days after a transfer in, whose hello letters are due in 15', async () => {
  const { tenant, plan, act } = await newLender('2026-03-02');
  const { id } = await boardOne(tenant);
  const future = await plan({ direction: 'in', effective_date: '2026-03-03', loan_ids: [id] });
  const { id: made } = await newLoan(tenant);
  const own = await plan({ direction: 'in', effective_date: '2026-03-01', loan_ids: [made] });
  const transfer = assertOk(
    await plan({ direction: 'in', effective_date: '2026-03-01', loan_ids: [id] }),
  );
  await act(transfer['id'], 'send-notices');
  await sendLetters();
  const [letter] = await lettersOf(tenant, id, 'hello_letter');
  await travelTo(stage, tenant, '2026-04-30');
  const during = await feesOf(tenant, id);
  await travelTo(stage, tenant, '2026-05-20');
  const later = await feesOf(tenant, id);

  expect(future.status).toBe(422);
  expect(own).toMatchObject({ status: 409, body: { code: 'not_boarded' } });
  expect(transfer).toMatchObject({ notices_due_on: '2026-03-16', last_payment_date: '2026-02-28' });
  expect(letter?.body).toMatch(/March 1, 2026.*February 28, 2026/s);
  expect(letter?.body).toMatch(/we do not treat a payment as late/);
  expect(during).toEqual([]);
  // The installment of 5 May, whose grace ends on 15 May.
  expect(later.map(({ amount }) => amount)).toEqual(['25.00']);
  expect(await violationsIn(stage)).toEqual([]);
});

test('a payment that the previous servicer forwards counts from the day it was received, and takes its late fee away', async () => {
  const { tenant, plan, act } = await newLender('2026-03-02', {
    servicing_transfers: { waives_late_fees: false },
  });
  const { id } = await boardOne(tenant);
  const transfer = assertOk(
    await plan({ direction: 'in', effective_date: '2026-03-01', loan_ids: [id] }),
  );
  await sendLetters();
  await travelTo(stage, tenant, '2026-03-25');
  const late = (await tenant.officer.get(`/loans/${id}`)).body;
  const charged = await feesOf(tenant, id);
  const payment = { loan_id: id, amount: late.past_due_amount, received_on: '2026-03-09' };
  const given = { payments: [{ ...payment, reference_number: 'H-1' }] };
  const foreign = await act(transfer['id'], 'receive-payments', {
    payments: [{ ...payment, loan_id: (await newLoan(tenant)).id }],
  });
  const recorded = await act(transfer['id'], 'receive-payments', given);
  const twice = await act(transfer['id'], 'receive-payments', given);
  const unnamed = await act(transfer['id'], 'receive-payments', { payments: [payment] });
  const loan = (await tenant.officer.get(`/loans/${id}`)).body;
  const after = await feesOf(tenant, id);

  expect(late.days_past_due).toBe(20);
  expect(charged).toMatchObject([{ amount: '25.00' }]);
  expect(foreign).toMatchObject({ status: 422 });
  expect(recorded.body.payments, JSON.stringify(recorded.body)).toMatchObject([
    { effective_date: '2026-03-09', waived_fee_count: 1 },
  ]);
  expect(twice).toMatchObject({ status: 422 });
  expect(unnamed).toMatchObject({ status: 422 });
  expect(Object.keys(unnamed.body.errors)).toEqual(['payments.0.reference_number']);
  expect(await historyOf(transfer['id'])).toEqual(['create', 'receive-payments']);
  expect(loan).toMatchObject({ days_past_due: 0, outstanding_fees: '0.00' });
  expect(after).toMatchObject([{ amount_waived: '25.00' }]);
  expect(await violationsIn(stage)).toEqual([]);
});

test('a late fee of a deferred installment stays if a forwarded payment does not cover it', async () => {
  const { tenant, plan, act } = await newLender('2026-03-02', {
    servicing_transfers: { waives_late_fees: false },
  });
  const { id } = await boardOne(tenant);
  const transfer = assertOk(
    await plan({ direction: 'in', effective_date: '2026-03-01', loan_ids: [id] }),
  );
  await sendLetters();
  assertOk(
    await tenant.officer.post(`/loans/${id}/deferments`, { periods: 2, reason: 'Moving house' }),
  );
  await travelTo(stage, tenant, '2026-05-20');
  const before = await feesOf(tenant, id);
  const recorded = await act(transfer['id'], 'receive-payments', {
    payments: [
      { loan_id: id, amount: '10.00', received_on: '2026-05-10', reference_number: 'H-1' },
    ],
  });

  // The installment of 5 March is due on 5 May, and its grace ends on 15 May.
  expect(before).toMatchObject([{ amount: '25.00', assessed_date: '2026-05-16' }]);
  expect(recorded.body.payments, JSON.stringify(recorded.body)).toMatchObject([
    { waived_fee_count: 0 },
  ]);
  expect(await feesOf(tenant, id)).toMatchObject([{ amount_waived: '0.00' }]);
  expect(await violationsIn(stage)).toEqual([]);
});

test('a delinquency that began within 60 days of a transfer in is not reported until they are over', async () => {
  const tenant = await newReportingTenant(stage, '2026-03-02');
  await saveSettings(tenant, LETTERHEAD);
  const admin = await tenant.signedIn('admin');
  const { id } = await boardOne(tenant);
  // The sixtieth day is 30 April.
  const effective_date = '2026-03-02';
  const given = { ...SERVICER, direction: 'in', effective_date, loan_ids: [id] };
  assertOk(await admin.post('/servicing-transfers', given));
  await sendLetters();
  await travelTo(stage, tenant, '2026-05-01');
  await runCreditReports(stage);
  const during = await creditRecords(tenant, id);
  await travelTo(stage, tenant, '2026-06-01');
  await runCreditReports(stage);
  const later = await creditRecords(tenant, id);

  expect(during.map(({ status, suppression_reason }) => [status, suppression_reason])).toEqual([
    ['suppressed', 'servicing_transfer'],
    ['queued', null],
  ]);
  expect(later[0]).toMatchObject({ status: 'queued', suppression_reason: null });
});
