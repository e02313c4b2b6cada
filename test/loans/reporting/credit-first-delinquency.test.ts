import { expect, test } from 'vitest';
import {
  creditRecords,
  newReportingTenant,
  runCreditReports,
} from '../../setup/credit-reporting.ts';
import { tapeLine, tapeText } from '../../setup/boarding-tapes.ts';
import { importTape } from '../../setup/imports.ts';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();

const TASK = 'Credit reporting: enter the date of first delinquency from the previous servicer';
const openTasks = async ({ officer }: Tenant) =>
  ((await officer.get('/tasks?status=open')).body as { title: string }[]).filter(
    ({ title }) => title === TASK,
  );

/** A loan of January 2024 that the previous servicer charged off in March 2025. */
const CHARGED_OFF = {
  principal_amount: '1200.00',
  interest_rate: '0.10',
  term_months: 12,
  origination_date: '2024-01-05',
  first_payment_date: '2024-02-05',
  paid_through_date: '2024-09-05',
  status: 'charged_off',
  charge_off_date: '2025-03-31',
  charge_off_amount: '800.00',
};
/** A loan of which the installments since October 2026 are unpaid. */
const LATE = {
  principal_amount: '1200.00',
  current_principal_balance: '900.00',
  interest_rate: '0.10',
  term_months: 24,
  origination_date: '2026-01-05',
  first_payment_date: '2026-02-05',
  paid_through_date: '2026-09-05',
};

async function newBoarding(today: string) {
  const tenant = await newReportingTenant(stage, today);
  const parents = {
    program_id: await tenant.first('/programs'),
    product_id: await tenant.first('/products'),
  };
  const board = async (more: Record<string, unknown>) => {
    const named = { first_name: 'Grace', last_name: 'Hopper' };
    const borrower_id = (await tenant.officer.post('/borrowers', named)).body.id as string;
    return tenant.officer.post('/loans/board', { ...parents, borrower_id, ...more });
  };
  const reportsOn = async (day: string) => {
    await travelTo(stage, tenant, day);
    await runCreditReports(stage);
  };
  return { tenant, board, reportsOn };
}

test('a boarded charge-off is reported with the first delinquency of the previous servicer', async () => {
  const { tenant, board, reportsOn } = await newBoarding('2027-01-05');
  const { status, body } = await board({ ...CHARGED_OFF, first_delinquency_date: '2024-10-05' });

  await reportsOn('2027-03-01');

  expect(status, JSON.stringify(body)).toBe(201);
  expect(body).toMatchObject({ boarded_delinquency_date: '2024-10-05' });
  expect(await creditRecords(tenant, body.id)).toMatchObject([
    { account_status: '97', date_first_delinquency: '2024-10-05', status: 'queued' },
    { account_status: '97', date_first_delinquency: '2024-10-05', status: 'queued' },
  ]);
  expect(await openTasks(tenant)).toEqual([]);
});

test('a boarded charge-off without its first delinquency is not reported until someone enters it', async () => {
  const { tenant, board, reportsOn } = await newBoarding('2027-01-05');
  const { body } = await board(CHARGED_OFF);
  const asked = await openTasks(tenant);
  await reportsOn('2027-02-01');
  const path = `/loans/${body.id}/record-first-delinquency`;

  const entered = await tenant.officer.post(path, { first_delinquency_date: '2024-10-05' });
  const left = await openTasks(tenant);
  await reportsOn('2027-03-01');

  expect(asked).toMatchObject([{ loan_id: body.id, due_date: '2027-01-05' }]);
  expect(entered, JSON.stringify(entered.body)).toMatchObject({
    status: 200,
    body: { boarded_delinquency_date: '2024-10-05' },
  });
  expect(left).toEqual([]);
  expect(await creditRecords(tenant, body.id)).toMatchObject([
    { date_first_delinquency: '2024-10-05', status: 'queued' },
    {
      date_first_delinquency: null,
      status: 'suppressed',
      suppression_reason: 'first_delinquency_unknown',
    },
  ]);
  const history = (await tenant.officer.get(`/loans/${body.id}/history`)).body;
  expect(history).toContainEqual(
    expect.objectContaining({
      action: 'record-first-delinquency',
      changes: { boarded_delinquency_date: { old: null, new: '2024-10-05' } },
    }),
  );
});

test('a closed task is opened again at the month-end while the first delinquency is unknown', async () => {
  const { tenant, board, reportsOn } = await newBoarding('2027-01-05');
  await board(CHARGED_OFF);
  const [task] = (await tenant.officer.get('/tasks?status=open')).body;
  await tenant.officer.put(`/tasks/${task.id}`, { status: 'completed' });
  const closed = await openTasks(tenant);

  await reportsOn('2027-03-01');

  expect(closed).toEqual([]);
  expect(await openTasks(tenant)).toHaveLength(1);
});

test('a loan boarded late keeps its first delinquency as long as the delinquency lasts', async () => {
  const { tenant, board, reportsOn } = await newBoarding('2027-01-05');
  const { body } = await board({ ...LATE, first_delinquency_date: '2026-07-05' });
  const { body: untold } = await board(LATE);
  const { body: abitLate } = await board({ ...LATE, paid_through_date: '2026-12-20' });
  await reportsOn('2027-02-01');

  const { past_due_amount: amount } = (await tenant.officer.get(`/loans/${body.id}`)).body;
  await tenant.officer.post(`/loans/${body.id}/payments`, { amount });
  await reportsOn('2027-04-01');

  const told = (await creditRecords(tenant, body.id)).map((record) => [
    record['account_status'],
    record['date_first_delinquency'],
  ]);
  expect(told).toEqual([
    ['71', '2027-02-05'],
    ['11', null],
    ['80', '2026-07-05'],
  ]);
  const [, , first] = await creditRecords(tenant, untold.id);
  expect(first).toMatchObject({ status: 'suppressed', date_first_delinquency: null });
  expect((await creditRecords(tenant, abitLate.id)).at(-1)).toMatchObject({
    account_status: '11',
    status: 'queued',
  });
  expect(await openTasks(tenant)).toMatchObject([{ loan_id: untold.id }]);
});

test('an impossible first delinquency is refused', async () => {
  const { tenant, board } = await newBoarding('2027-01-05');
  const boarding = async (first_delinquency_date: string, loan: object = CHARGED_OFF) =>
    (await board({ ...loan, first_delinquency_date })).body.errors;
  const { body: charged } = await board(CHARGED_OFF);
  const { id: own } = await newLoan(tenant);
  const recorded = (id: string, first_delinquency_date: string) =>
    tenant.officer.post(`/loans/${id}/record-first-delinquency`, { first_delinquency_date });

  expect(await boarding('2025-04-01')).toEqual({
    first_delinquency_date: 'Must not be after the charge-off on 2025-03-31.',
  });
  expect(await boarding('2024-01-04')).toEqual({
    first_delinquency_date: 'Must not be before the origination date.',
  });
  expect(await boarding('2027-01-06', LATE)).toEqual({
    first_delinquency_date: 'Must not be after the business date.',
  });
  expect((await recorded(charged.id, '2025-04-01')).status).toBe(422);
  expect(await recorded(own, '2027-01-05')).toMatchObject({
    status: 409,
    body: { code: 'not_boarded' },
  });
  expect((await recorded('0198a0c0-0000-7000-8000-000000000001', '2027-01-05')).status).toBe(404);
});

test('a tape has a column for the first delinquency', async () => {
  const { tenant, reportsOn } = await newBoarding('2027-01-05');
  const header = `${tapeText()},paid_through_date,charge_off_date,charge_off_amount,first_delinquency_date`;
  const past = (loan_number: string, ...more: string[]) =>
    [tapeLine({ loan_number, status: 'charged_off' }), '2026-03-10', '2026-09-30', ...more].join();
  const ids = await importTape(
    tenant,
    [header, past('T-1', '9000.00', '2026-04-10'), past('T-2', '9000.00', '')].join('\n'),
  );
  await reportsOn('2027-02-01');

  const records = await Promise.all(ids.map(async (id) => (await creditRecords(tenant, id))[0]));

  expect(records).toMatchObject([
    { date_first_delinquency: '2026-04-10', status: 'queued' },
    { date_first_delinquency: null, status: 'suppressed' },
  ]);
  expect(await openTasks(tenant)).toMatchObject([{ loan_id: ids[1] }]);
  const refused = importTape(tenant, [header, past('T-3', '9000.00', 'soon')].join('\n'));
  await expect(refused).rejects.toMatchObject({
    findings: [{ line: 2, column: 'first_delinquency_date' }],
  });
});

test('a paid-off loan that was boarded as a record is not reported', async () => {
  const { tenant, board, reportsOn } = await newBoarding('2027-01-05');
  const { body } = await board({ ...CHARGED_OFF, status: 'paid_off', charge_off_date: null });

  await reportsOn('2027-02-01');

  expect(await creditRecords(tenant, body.id)).toEqual([]);
});

/** A loan of 1,200.00 at 10 percent, disbursed on January 5, with 105.50 due on the 5th of each month. */
async function newCaseLoan() {
  const tenant = await newReportingTenant(stage, '2027-01-05');
  const { id } = await newLoan(tenant, {
    principal_amount: '1200.00',
    interest_rate: '0.10',
    term_months: 12,
  });
  const on = (day: string) => travelTo(stage, tenant, day);
  return { tenant, id, on };
}

test('an account that is never 30 days late is current, so its first delinquency begins with the month that reaches 30', async () => {
  const tenant = await newReportingTenant(stage, '2027-01-05');
  const product_id = await newProduct(tenant, { payment_frequency: 'biweekly' });
  const { id } = await newLoan(tenant, { product_id, term_months: 12 });
  const { payment_amount: amount } = (await tenant.officer.get(`/loans/${id}`)).body;
  // Each installment is paid 20 days late, when the next one is 6 days late.
  for (const day of ['2027-02-08', '2027-02-22', '2027-03-08', '2027-03-22']) {
    await travelTo(stage, tenant, day);
    await tenant.officer.post(`/loans/${id}/payments`, { amount });
  }
  await travelTo(stage, tenant, '2027-05-01');
  await runCreditReports(stage);

  const { body } = await tenant.officer.get(`/loans/${id}`);
  const records = await creditRecords(tenant, id);

  expect(body.first_delinquency_date).toBe('2027-01-19');
  expect(
    records.map((record) => [record['account_status'], record['date_first_delinquency']]),
  ).toEqual([
    ['71', '2027-03-16'],
    ['11', null],
    ['11', null],
    ['11', null],
  ]);
});

test('a late loan that is paid off or settled keeps its first delinquency', async () => {
  const { tenant, id, on } = await newCaseLoan();
  const { id: settled } = await newLoan(tenant, { principal_amount: '1200.00', term_months: 12 });
  await on('2027-05-01');
  await runCreditReports(stage);
  await on('2027-05-10');
  await tenant.officer.post(`/loans/${id}/pay-off`);
  await tenant.officer.post(`/loans/${settled}/payment-plans`, {
    plan_type: 'settlement',
    settlement_amount: '400.00',
    waive_remaining: true,
    installments: [{ due_date: '2027-05-12', amount: '400.00' }],
    grace_days: 0,
  });
  await tenant.officer.post(`/loans/${settled}/payments`, { amount: '400.00' });
  await on('2027-06-01');
  await runCreditReports(stage);

  expect((await creditRecords(tenant, id)).slice(0, 2)).toMatchObject([
    {
      account_status: '13',
      payment_rating: '3',
      date_first_delinquency: '2027-02-05',
      date_closed: '2027-05-10',
      date_of_account_information: '2027-05-10',
    },
    { account_status: '78', date_first_delinquency: '2027-02-05' },
  ]);
  expect((await creditRecords(tenant, settled))[0]).toMatchObject({
    account_status: '13',
    special_comment: 'AU',
    payment_rating: '3',
    date_first_delinquency: '2027-02-05',
  });
});

test.each([
  ['2027-03-11', '1'],
  ['2027-04-11', '2'],
  ['2027-02-20', '0'],
])('a loan paid off on %s has the payment rating of that day', async (day, payment_rating) => {
  const { tenant, id, on } = await newCaseLoan();
  await on(day);
  await tenant.officer.post(`/loans/${id}/pay-off`);
  await on('2027-05-01');
  await runCreditReports(stage);

  expect((await creditRecords(tenant, id))[0]).toMatchObject({
    account_status: '13',
    payment_rating,
    date_first_delinquency: payment_rating === '0' ? null : '2027-02-05',
  });
});
