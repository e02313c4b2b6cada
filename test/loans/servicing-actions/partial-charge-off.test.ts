import { Big } from 'big.js';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { sql } from '../../../sql/database/db.ts';
import { eventTypes, balancesByRole } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { runJobs, travelTo } from '../../setup/queue.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

async function partly() {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);
  const chargeOff = (body: object) => admin.post(`/loans/${id}/charge-off`, body);
  const reply = await chargeOff({ amount: '4000.00', reason: 'bankruptcy' });
  const pay = (amount: string, payment_type = 'regular') =>
    tenant.officer.post(`/loans/${id}/payments`, { amount, payment_type });
  const look = async () => (await tenant.officer.get(`/loans/${id}`)).body;
  return { tenant, admin, id, path: `/loans/${id}`, chargeOff, reply, pay, look };
}

test('part of the principal leaves the books, and the loan continues with the rest', async () => {
  const { tenant, reply, look, path } = await partly();

  expect(reply).toMatchObject({
    status: 200,
    body: {
      status: 'active',
      principal_balance: '6000.00',
      charge_off_balance: '4000.00',
      charge_off_amount: '4000.00',
      charge_off_reason: 'bankruptcy',
      charged_off_at: null,
      allowed_actions: expect.arrayContaining(['charge-off', 'reverse-charge-off']),
    },
  });
  expect(await balancesByRole(tenant)).toMatchObject({
    loans_receivable: '6000.00',
    charge_off_expense: '4000.00',
  });
  expect((await eventTypes(tenant)).at(-1)).toBe('loan.partly_charged_off');

  await travelTo(stage, tenant, '2026-03-01');
  // 45 days of 6000.00 at 0.085. The installment of February 15 is 14 days late.
  expect(await look()).toMatchObject({
    status: 'active',
    accrued_interest: '62.88',
    days_past_due: 14,
    past_due_amount: '315.68',
  });
  const balances = await tenant.officer.get(`${path}/get-balances`);
  expect(balances.body).toMatchObject({ total_balance: '6062.88', payoff_amount: '10062.88' });
  expect(await violationsIn(stage)).toEqual([]);
});

test('payments repay the rest, then the charged-off part as recoveries; the loan is paid when both are zero', async () => {
  const { tenant, pay, look } = await partly();
  await travelTo(stage, tenant, '2026-01-16');

  const recovered = await pay('500.00', 'recovery');
  const paid = await pay('6100.00');
  const between = await look();
  const last = await pay('3401.40');
  const after = await look();

  expect(recovered.body.allocations).toMatchObject([{ component: 'charge_off', amount: '500.00' }]);
  expect(paid.body.allocations).toMatchObject([
    { component: 'interest', amount: '1.40' },
    { component: 'principal', amount: '6000.00' },
    { component: 'charge_off', amount: '98.60' },
  ]);
  expect(between).toMatchObject({ status: 'active', charge_off_balance: '3401.40' });
  expect(last.body).toMatchObject({ suspense_applied: '0.00' });
  expect(after).toMatchObject({ status: 'paid_off', charge_off_balance: '0.00' });
  expect(await balancesByRole(tenant)).toEqual({
    cash: '1.40',
    interest_income: '-1.40',
    charge_off_expense: '4000.00',
    recovery_income: '-4000.00',
  });
  expect(await violationsIn(stage)).toEqual([]);
});

test('a refunded recovery is owed as charged-off debt, not as principal', async () => {
  const { tenant, path, pay, look } = await partly();
  const { body: paid } = await pay('6500.00');

  const back = { amount: '700.00', payment_id: paid.id, method: 'check' };
  const refund = await tenant.officer.post(`${path}/payments/reimbursement`, back);

  expect(refund).toMatchObject({ status: 201, body: { principal_applied: '-700.00' } });
  // 500.00 recovered the charged-off part. The remaining 200.00 repaid principal.
  expect(await look()).toMatchObject({
    charge_off_balance: '4000.00',
    principal_balance: '200.00',
    recovered_amount: '0.00',
  });
  expect(await balancesByRole(tenant)).toEqual({
    cash: '-4200.00',
    loans_receivable: '200.00',
    charge_off_expense: '4000.00',
  });
  expect(await violationsIn(stage)).toEqual([]);
});

test('paying the quoted payoff repays both the rest and the charged-off part', async () => {
  const { tenant, path, look } = await partly();
  await travelTo(stage, tenant, '2026-01-25');
  const quote = await tenant.officer.post(`${path}/payoff-quotes`, {});
  await tenant.officer.post(`${path}/pay-off`, { payoff_quote_id: quote.body.id });

  expect(quote.body).toMatchObject({ principal_amount: '10000.00', payoff_amount: '10013.97' });
  expect(await look()).toMatchObject({
    status: 'paid_off',
    charge_off_balance: '0.00',
    suspense_balance: '0.00',
  });
});

test('a later charge-off takes the rest, and each is reversed in turn', async () => {
  const { tenant, admin, path, chargeOff, look } = await partly();
  await chargeOff({ amount: '1000.00' });
  const twice = await look();
  await chargeOff({});
  const whole = await look();
  const undo = () => admin.post(`${path}/reverse-charge-off`, { reason: 'mistake' });
  const first = await undo();
  const second = await undo();
  const third = await undo();
  const none = await undo();

  expect(twice).toMatchObject({ status: 'active', charge_off_amount: '5000.00' });
  expect(whole).toMatchObject({
    status: 'charged_off',
    charge_off_balance: '10000.00',
    charge_off_amount: '10000.00',
  });
  expect(first.body).toMatchObject({ status: 'active', charge_off_amount: '5000.00' });
  expect(second.body).toMatchObject({ principal_balance: '6000.00', charge_off_amount: '4000.00' });
  expect(third.body).toMatchObject({ principal_balance: '10000.00', charge_off_amount: null });
  expect(none).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
  expect(await balancesByRole(tenant)).toEqual({ cash: '-10000.00', loans_receivable: '10000.00' });
});

const Statement = z.object({
  figures: z.looseObject({
    summary: z.looseObject({ credits: z.string(), new_balance: z.string() }),
    activity: z.array(z.looseObject({ kind: z.string(), amount: z.string() })),
  }),
});

test('statements and credit records include the charged-off part', async () => {
  const { tenant, admin, id, pay } = await partly();
  await travelTo(stage, tenant, '2026-02-15');
  await pay('315.68');
  await travelTo(stage, tenant, '2026-03-01');

  const { summary, activity } = await tenant.within(({ tx }) =>
    tx.oneFirst(sql.type(Statement)`
      select figures from statements where loan_id = ${id} and statement_month = '2026-02-01'
    `),
  );
  const moved = activity.reduce((total, { amount }) => total.plus(amount), new Big(0));
  expect(summary.credits).toBe('0.00');
  expect(Number(summary.new_balance)).toBeGreaterThan(9700);
  expect(moved.toFixed(2)).toBe(
    new Big(summary.new_balance).minus(String(summary['previous_balance'])).toFixed(2),
  );
  await runJobs(stage, {}, ['report-credit']);
  const records = await admin.get(`/loans/${id}/credit-reporting`);
  expect(records.body).toMatchObject([
    { reporting_period: '2026-02-28', account_status: '11', original_charge_off_amount: null },
    { reporting_period: '2026-01-31', account_status: '11', current_balance: 10023 },
  ]);
});
