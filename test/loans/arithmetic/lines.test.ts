import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { isBilledByCycle } from '../../../jobs/loans/arithmetic/terms.ts';
import { readTerms } from '../../../jobs/loans/products/loan-terms.ts';
import { openPool, sql } from '../../../sql/database/db.ts';
import { checkInvariants } from '../../../sql/invariants/invariants.ts';
import { readLoanRow } from '../../../sql/loans/loans.ts';
import {
  fetchMinimumPayments,
  LINE_OF_CREDIT,
  openLineOfCredit,
  fetchLoan,
  payLoan,
} from '../../setup/lines-of-credit.ts';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();
const auditor = await openPool(stage.url, { role: 'servicing_auditor', size: 1 });
afterAll(() => auditor.end());

const Statement = z.object({ statement_month: z.string(), figures: z.looseObject({}) });
const statementsOf = (tenant: Tenant, id: string) =>
  tenant.within(({ tx }) =>
    tx.any(sql.type(Statement)`
      select statement_month, figures from statements where loan_id = ${id} order by statement_month
    `),
  );

test('a cycle ends with its minimum payment and statement, and draws change only the next one', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const id = await openLineOfCredit(tenant);
  const opened = await fetchLoan(tenant, id);
  await travelTo(stage, tenant, '2026-02-16');
  const billed = await fetchLoan(tenant, id);
  await tenant.officer.post(`/loans/${id}/draws`, { amount: '1000.00' });
  const drawn = await fetchLoan(tenant, id);
  await travelTo(stage, tenant, '2026-03-10');
  await payLoan(tenant, id, '101.14');
  await travelTo(stage, tenant, '2026-03-16');

  expect(opened).toMatchObject({
    cycle_start_date: '2026-01-15',
    cycle_end_date: '2026-02-15',
    maturity_date: null,
    next_payment_date: null,
    next_payment_amount: '0.00',
    apr: '0.2',
  });
  expect(billed).toMatchObject({
    cycle_start_date: '2026-02-16',
    cycle_end_date: '2026-03-15',
    total_balance: '3714.00',
    next_payment_date: '2026-03-13',
    next_payment_amount: '101.14',
    payment_amount: '101.14',
    maturity_date: null,
    final_payment_amount: null,
  });
  expect(drawn).toMatchObject({ next_payment_amount: '101.14', available_credit: '5350.00' });
  // 37.14 of principal is paid on March 10. 22 days of 4650.00 and 6 of 4612.86 earn 71.22, and one percent
  // of 4684.08 is 46.84.
  expect(await fetchMinimumPayments(tenant, id)).toEqual([
    ['2026-03-13', '101.14', 'paid'],
    ['2026-04-10', '118.06', 'due'],
  ]);
  const [january, march] = await statementsOf(tenant, id);
  expect(january).toMatchObject({
    statement_month: '2026-02-01',
    figures: {
      period_start: '2026-01-15',
      period_end: '2026-02-15',
      summary: { disbursements: '3650.00', interest: '64.00', new_balance: '3714.00' },
      due: { next_due_date: '2026-03-13', amount_due: '101.14', past_due: '0.00' },
      line: {
        days: 32,
        credit_limit: '10000.00',
        available_credit: '6350.00',
        minimum_payment: '101.14',
        interest_charge: '64.00',
        balance_subject_to_interest: '3650.00',
        outlook: { months: expect.any(Number), total: expect.any(String) },
      },
    },
  });
  expect(march).toMatchObject({
    statement_month: '2026-03-01',
    figures: {
      period_start: '2026-02-16',
      period_end: '2026-03-15',
      summary: { previous_balance: '3714.00', payments: '101.14', disbursements: '1000.00' },
      due: { next_due_date: '2026-04-10', amount_due: '118.06' },
      line: {
        days: 28,
        balance_subject_to_interest: '4642.04',
        charged_in_year: {
          year: '2026',
          interest: '135.22',
          fees: '0.00',
        },
      },
    },
  });
});

test('draws with a grace period bear no interest until a statement is not paid in full, and the statement says so', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const [kept, lost] = [
    await openLineOfCredit(tenant, { grace_on_purchases: true }),
    await openLineOfCredit(tenant, { grace_on_purchases: true }),
  ];
  await travelTo(stage, tenant, '2026-02-16');
  const billed = await fetchLoan(tenant, lost);
  await payLoan(tenant, lost, '3000.00');
  await travelTo(stage, tenant, '2026-03-13');
  await payLoan(tenant, kept, '3650.00');
  await travelTo(stage, tenant, '2026-03-16');

  expect(billed).toMatchObject({ total_balance: '3650.00', interest_free_balance: '3650.00' });
  expect(await fetchLoan(tenant, kept)).toMatchObject({ total_balance: '0.00' });
  // March 14 and 15 on 650.00.
  expect(await fetchLoan(tenant, lost)).toMatchObject({
    accrued_interest: '0.71',
    interest_free_balance: '0.00',
    principal_balance: '650.00',
  });
  const lines = (await statementsOf(tenant, lost)).map(({ figures }) => figures['line']);
  expect(lines).toMatchObject([
    { interest_charge: '0.00', balance_subject_to_interest: '0.00', grace: { is_kept: true } },
    // Two of 28 days.
    { interest_charge: '0.71', balance_subject_to_interest: '46.43', grace: { is_kept: false } },
  ]);
  const violations = await checkInvariants(auditor);
  expect(violations.filter(({ tenant_id }) => tenant_id === tenant.id)).toEqual([]);
});

test('a missed minimum payment is past due, has a late fee, and is billed with the next one', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const late = { fee_type: 'late', calculation: 'flat', amount: '30.00', trigger: 'past_due' };
  const id = await openLineOfCredit(tenant, { fee_rules: [late], late_fee_grace_days: 5 });

  await travelTo(stage, tenant, '2026-04-20');

  expect(await fetchLoan(tenant, id)).toMatchObject({
    days_past_due: 38,
    delinquency_bucket: 'dpd_30_59',
    outstanding_fees: '60.00',
  });
  const fees = await tenant.officer.get(`/loans/${id}/fees`);
  expect(fees.body).toMatchObject([{ installment_number: 2 }, { installment_number: 1 }]);
  const statements = await statementsOf(tenant, id);
  expect(statements.at(-1)?.figures).toMatchObject({
    due: { past_due: '194.84', next_due_date: '2026-05-11' },
  });
});

test('a line without a balance is not billed, gets no statement, and can be drawn on again', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const id = await openLineOfCredit(tenant);
  await travelTo(stage, tenant, '2026-02-20');
  await payLoan(tenant, id, (await fetchLoan(tenant, id)).total_balance);
  const repaid = await fetchLoan(tenant, id);
  await travelTo(stage, tenant, '2026-04-16');
  const idle = await fetchLoan(tenant, id);
  await tenant.officer.post(`/loans/${id}/draws`, { amount: '100.00' });
  await travelTo(stage, tenant, '2026-05-16');

  expect(repaid).toMatchObject({ status: 'active', next_payment_amount: '0.00' });
  expect(idle).toMatchObject({
    status: 'active',
    total_balance: '0.00',
    next_payment_date: null,
    cycle_start_date: '2026-04-16',
    available_credit: '10000.00',
    days_past_due: 0,
  });
  expect(await fetchLoan(tenant, id)).toMatchObject({
    next_payment_date: '2026-06-10',
    next_payment_amount: '25.00',
  });
  const months = (await statementsOf(tenant, id)).map(({ statement_month }) => statement_month);
  expect(months).toEqual(['2026-02-01', '2026-03-01', '2026-05-01']);
});

test('a payoff closes a line, and no cycle follows', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const id = await openLineOfCredit(tenant);
  await travelTo(stage, tenant, '2026-02-20');

  const closed = await tenant.officer.post(`/loans/${id}/pay-off`);
  await travelTo(stage, tenant, '2026-03-17');

  expect(closed.status).toBe(200);
  expect(await fetchLoan(tenant, id)).toMatchObject({ status: 'paid_off', total_balance: '0.00' });
  expect(await fetchMinimumPayments(tenant, id)).toHaveLength(1);
  const violations = await checkInvariants(auditor);
  expect(violations.filter(({ tenant_id }) => tenant_id === tenant.id)).toEqual([]);
});

test('the minimum payment changes when a draw is reversed or a payment bounces', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const [plain, changed] = [await openLineOfCredit(tenant), await openLineOfCredit(tenant)];
  const draw = await tenant.officer.post(`/loans/${changed}/draws`, { amount: '500.00' });
  await travelTo(stage, tenant, '2026-02-10');
  const payment = await payLoan(tenant, changed, '300.00');
  await travelTo(stage, tenant, '2026-02-20');
  const before = await fetchLoan(tenant, changed);

  await tenant.officer.post(`/draws/${draw.body.id}/reverse`);
  await tenant.officer.post(`/payments/${payment.body.id}/reverse`, { reason: 'nsf' });

  expect(before.next_payment_amount).not.toBe('101.14');
  expect(await fetchMinimumPayments(tenant, changed)).toEqual(
    await fetchMinimumPayments(tenant, plain),
  );
  expect(await fetchLoan(tenant, changed)).toMatchObject({ next_payment_amount: '101.14' });
});

test('a line is billed by cycle exactly if its product has a minimum payment', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const products = [
    {},
    { loan_type: 'line_of_credit' },
    LINE_OF_CREDIT,
    { ...LINE_OF_CREDIT, cycle_day: 5, grace_on_purchases: true },
  ];
  const found = [];
  for (const wish of products) {
    const product_id = await newProduct(tenant, wish, admin);
    const { id } = await newLoan(tenant, { product_id, status: 'pending' });
    const { rows } = await stage.owner.query<{ stored: boolean }>(
      'select is_billed_by_cycle as stored from loans where id = $1',
      [id],
    );
    const row = await tenant.within(({ tx }) => readLoanRow(tx, id));
    found.push([rows[0]?.stored, row && isBilledByCycle(readTerms(row))]);
  }

  expect(found).toEqual([
    [false, false],
    [false, false],
    [true, true],
    [true, true],
  ]);
});
