import { expect, test } from 'vitest';
import { readLoan } from '../../../jobs/loans/history/open-loan.ts';
import { money, parseMoney, sum } from '../../../jobs/money.ts';
import { drawAmount } from '../../../jobs/loans/history/autopay/draw-amount.ts';
import type { AutopayPlan } from '../../../sql/loans/open-autopay-plan.ts';
import { newApprovedLoan, disburse, PERCENTAGE_FEE, fetchFundedLoan } from '../../setup/funding.ts';
import { travelTo } from '../../setup/queue.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

test('an amortized fee is owed from the start and billed in parts', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newApprovedLoan(tenant, [{ ...PERCENTAGE_FEE, treatment: 'amortized' }]);
  await disburse(tenant, id);
  const { loan, plan } = await fetchFundedLoan(tenant, id);
  await travelTo(stage, tenant, '2026-02-15');

  const paid = await tenant.officer.post(`/loans/${id}/payments`, {
    amount: '324.01',
    payment_date: '2026-02-15',
  });
  const after = await fetchFundedLoan(tenant, id);
  const quote = await tenant.officer.post(`/loans/${id}/payoff-quotes`, {
    payoff_date: '2026-02-15',
  });

  expect(loan).toMatchObject({
    principal_balance: '10000.00',
    outstanding_fees: '300.00',
    total_balance: '10300.00',
    payment_amount: '324.01',
    next_payment_amount: '324.01',
  });
  const parts = plan.map((row: { fees_amount: string }) => row.fees_amount);
  expect([parts[0], parts.at(-1), parts.length]).toEqual(['8.33', '8.45', 36]);
  expect(money(sum(parts.map(parseMoney)))).toBe('300.00');
  expect(paid.body).toMatchObject({
    fees_applied: '8.33',
    interest_applied: '72.19',
    principal_applied: '243.49',
  });
  expect(after.plan[0]).toMatchObject({ status: 'paid', paid_amount: '324.01' });
  expect(after.loan).toMatchObject({ outstanding_fees: '291.67', past_due_amount: '0.00' });
  expect(quote.body).toMatchObject({ fees_amount: '291.67', payoff_amount: '10048.18' });
  expect(await violationsIn(stage)).toEqual([]);
});

test('money ahead of the schedule repays principal before unbilled fees', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newApprovedLoan(tenant, [{ ...PERCENTAGE_FEE, treatment: 'amortized' }]);
  await disburse(tenant, id);

  const paid = await tenant.officer.post(`/loans/${id}/payments`, { amount: '1000.00' });

  expect(paid.body).toMatchObject({ fees_applied: '8.33', principal_applied: '991.67' });
});

test('a new schedule includes the fee parts that the old one had not billed', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newApprovedLoan(tenant, [{ ...PERCENTAGE_FEE, treatment: 'amortized' }]);
  await disburse(tenant, id, { amount: '6000.00' });
  await travelTo(stage, tenant, '2026-02-15');
  await tenant.officer.post(`/loans/${id}/payments`, { amount: '194.41' });
  await travelTo(stage, tenant, '2026-02-20');

  await disburse(tenant, id);

  const { loan, fees, plan } = await fetchFundedLoan(tenant, id);
  expect(fees.map((fee: { amount: string }) => fee.amount).toSorted()).toEqual([
    '120.00',
    '180.00',
  ]);
  const parts = plan.map((row: { fees_amount: string }) => row.fees_amount);
  expect(parts.slice(0, 2)).toEqual(['5.00', '8.42']);
  expect(money(sum(parts.map(parseMoney)))).toBe('300.00');
  expect(loan.outstanding_fees).toBe('295.00');
  expect(await violationsIn(stage)).toEqual([]);
});

test('relief and another payment frequency still bill the whole spread fee by the end', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const asked = async (path: string, body: object) => {
    const { id } = await newApprovedLoan(tenant, [{ ...PERCENTAGE_FEE, treatment: 'amortized' }]);
    await disburse(tenant, id);
    const reply = await tenant.officer.post(`/loans/${id}/${path}`, body);
    const { plan } = await fetchFundedLoan(tenant, id);
    const parts = plan.map((row: { fees_amount: string }) => parseMoney(row.fees_amount));
    return [reply.status, money(sum(parts)), plan[0].payment_amount];
  };
  const days = { start_date: '2026-01-15', end_date: '2026-03-20' };
  const spared = { ...days, reason: 'Illness', end_treatment: 'deferred_balance' };

  const less = { forbearance_type: 'reduced_payment', reduced_payment_amount: '50.00' };

  expect(await asked('forbearances', { ...spared, ...less })).toEqual([201, '300.00', '50.00']);
  expect(await asked('deferments', { periods: 2, reason: 'Flood' })).toEqual([
    201,
    '300.00',
    '324.01',
  ]);
  const modification = { modification_type: 'term_extension', extend_months: 12 };
  expect(
    await asked('modifications', {
      ...modification,
      effective_date: '2026-01-15',
      reason: 'hardship',
    }),
  ).toEqual([201, '300.00', expect.any(String)]);
});

test('autopay draws the installment with its fee part, and not the whole fee in addition', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newApprovedLoan(tenant, [{ ...PERCENTAGE_FEE, treatment: 'amortized' }]);
  await disburse(tenant, id);

  const { state } = await tenant.within((work) => readLoan(work, id));

  const plan = { amount_type: 'statement_balance' } as AutopayPlan;
  expect(money(drawAmount(plan, state, '2026-02-15'))).toBe('324.01');
});

test('the waived part of a spread fee is left out of a new schedule', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newApprovedLoan(tenant, [{ ...PERCENTAGE_FEE, treatment: 'amortized' }]);
  await disburse(tenant, id, { amount: '6000.00' });
  const { fees } = await fetchFundedLoan(tenant, id);
  await tenant.officer.post(`/fees/${fees[0].id}/waive`, { amount: '100.00', reason: 'Goodwill' });

  await disburse(tenant, id);

  const { loan, plan } = await fetchFundedLoan(tenant, id);
  const parts = plan.map((row: { fees_amount: string }) => parseMoney(row.fees_amount));
  expect(money(sum(parts))).toBe('200.00');
  expect(loan.outstanding_fees).toBe('200.00');
});
