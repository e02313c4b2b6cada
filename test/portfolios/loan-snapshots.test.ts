import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { travelTo } from '../setup/queue.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();

const snapshotOf = async (tenant: Tenant, loan_id: string, snapshot_date: string) => {
  const path = `/loan-snapshots?loan_id=${loan_id}&snapshot_date=${snapshot_date}`;
  return (await tenant.officer.get(path)).body[0];
};
const cents = (amount: string) => BigInt(amount.replace('.', ''));

test('a snapshot splits the past due amount and counts each new delinquency once', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant, { principal_amount: '1200.00', term_months: 6 });
  const plan = (await tenant.officer.get(`/loans/${id}/amortization`)).body;

  await travelTo(stage, tenant, '2026-03-19');
  const late = await snapshotOf(tenant, id, '2026-03-18');
  const paying = { amount: plan[0].payment_amount };
  await tenant.officer.post(`/loans/${id}/payments`, paying);
  await travelTo(stage, tenant, '2026-04-16');
  const again = await snapshotOf(tenant, id, '2026-04-15');
  const loan = (await tenant.officer.get(`/loans/${id}`)).body;

  expect(late).toMatchObject({
    days_past_due: 31,
    past_due_interest: (Number(plan[0].interest_amount) + Number(plan[1].interest_amount)).toFixed(
      2,
    ),
    past_due_fees: '0.00',
    past_due_30_amount: plan[0].payment_amount,
    times_delinquent_30: 1,
    times_delinquent_60: 0,
    payments_remaining: 6,
    final_payment_amount: plan[5].payment_amount,
    credit_limit: null,
    available_credit: null,
    net_charge_off: '0.00',
    investor_id: null,
  });
  expect(cents(late.past_due_principal) + cents(late.past_due_interest)).toBe(
    cents(late.past_due_amount),
  );
  expect(again).toMatchObject({ days_past_due: 31, times_delinquent_30: 2, payments_remaining: 5 });
  expect(loan).toMatchObject({ times_delinquent_30: 2, times_delinquent_60: 0 });
  expect(await violationsIn(stage)).toEqual([]);
});

test('after maturity the whole balance is past due, by component', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant, { principal_amount: '1200.00', term_months: 1 });

  await travelTo(stage, tenant, '2026-03-20');
  const loan = (await tenant.officer.get(`/loans/${id}`)).body;
  const kept = await snapshotOf(tenant, id, '2026-03-19');

  expect(loan).toMatchObject({
    past_due_principal: loan.principal_balance,
    past_due_interest: loan.accrued_interest,
    past_due_30_amount: loan.total_balance,
    final_payment_amount: loan.total_balance,
  });
  expect(kept).toMatchObject({ times_delinquent_30: 1, past_due_principal: '1200.00' });
});

test('a charged-off loan’s loss is reduced by its recoveries', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant, { principal_amount: '1200.00' });
  const admin = await tenant.signedIn('admin');
  const off = await admin.post(`/loans/${id}/charge-off`, {
    reverse_accrued_interest: false,
  });
  await tenant.officer.post(`/loans/${id}/payments`, { amount: '200.00' });

  await travelTo(stage, tenant, '2026-01-16');

  expect(off.status, JSON.stringify(off.body)).toBe(200);
  expect(await snapshotOf(tenant, id, '2026-01-15')).toMatchObject({
    status: 'charged_off',
    charge_off_balance: '1000.00',
    net_charge_off: '1000.00',
    payments_remaining: 0,
    final_payment_amount: null,
  });
  expect((await tenant.officer.get(`/loans/${id}`)).body.recovered_amount).toBe('200.00');
});

test('the last day’s snapshot is checked against loans without later events', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loans = [await newLoan(tenant), await newLoan(tenant)];
  await travelTo(stage, tenant, '2026-01-16');
  await tenant.officer.post(`/loans/${loans[0]?.id}/payments`, { amount: '100.00' });
  const change = (amount: string) =>
    stage.owner.query(
      'update loan_snapshots set principal_balance = principal_balance + $2 where tenant_id = $1',
      [tenant.id, amount],
    );

  await change('1.00');
  const broken = await violationsIn(stage);
  await change('-1.00');

  expect(broken).toEqual([
    expect.stringMatching(
      /^the last snapshot of a loan .* a principal of 10001.00, but it is 10000.00/,
    ),
  ]);
  expect(await violationsIn(stage)).toEqual([]);
});
