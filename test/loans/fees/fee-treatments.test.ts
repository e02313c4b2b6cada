import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openLoan } from '../../../jobs/loans/history/open-loan.ts';
import { recordEvents } from '../../../jobs/loans/history/record-events.ts';
import { newEvent } from '../../../jobs/loans/history/new-event.ts';
import { money, parseMoney, sum } from '../../../jobs/money.ts';
import { balancesByRole } from '../../setup/ledger.ts';
import {
  newApprovedLoan,
  disburse,
  DISBURSEMENT_FEE,
  PERCENTAGE_FEE,
  fetchFundedLoan,
} from '../../setup/funding.ts';
import { travelTo } from '../../setup/queue.ts';
import { saveSettings } from '../../setup/settings.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

test('a deducted fee is taken from the proceeds, in the entry of the disbursement', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newApprovedLoan(tenant, [{ ...PERCENTAGE_FEE, treatment: 'deducted' }]);

  await disburse(tenant, id);

  const { loan, fees, payouts } = await fetchFundedLoan(tenant, id);
  expect(payouts).toMatchObject([
    { amount: '10000.00', fee_deducted: '300.00', net_amount: '9700.00' },
  ]);
  expect(fees).toMatchObject([
    { status: 'paid', amount_paid: '300.00', outstanding_amount: '0.00', treatment: 'deducted' },
  ]);
  expect(fees[0].journal_entry_id).toBe(payouts[0].journal_entry_id);
  const entry = await tenant.officer.get(`/ledger/entries/${payouts[0].journal_entry_id}`);
  expect(entry.body.lines).toMatchObject([
    { debit: '10000.00', credit: '0.00' },
    { debit: '0.00', credit: expect.stringMatching(/^(9700|300).00$/) },
    { debit: '0.00', credit: expect.stringMatching(/^(9700|300).00$/) },
  ]);
  expect(loan).toMatchObject({
    principal_balance: '10000.00',
    outstanding_fees: '0.00',
    payment_amount: '315.68',
    next_payment_amount: '315.68',
  });
  expect(await balancesByRole(tenant)).toEqual({
    loans_receivable: '10000.00',
    cash: '-9700.00',
    fee_income: '-300.00',
  });
  expect(await violationsIn(stage)).toEqual([]);
});

test('without relief, a deducted fee is still income once', async () => {
  const tenant = await stage.tenant('2026-01-15');
  await saveSettings(tenant, { accounting: { accrual_relief: false } });
  const { id } = await newApprovedLoan(tenant, [{ ...PERCENTAGE_FEE, treatment: 'deducted' }]);

  await disburse(tenant, id);

  expect(await balancesByRole(tenant)).toMatchObject({ cash: '-9700.00', fee_income: '-300.00' });
  expect(await violationsIn(stage)).toEqual([]);
});

test('a capitalized fee becomes principal, and the schedule repays both', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newApprovedLoan(tenant, [{ ...PERCENTAGE_FEE, treatment: 'capitalized' }]);

  await disburse(tenant, id);

  const { loan, fees, payouts, plan } = await fetchFundedLoan(tenant, id);
  expect(payouts).toMatchObject([
    { amount: '10000.00', fee_deducted: '0.00', net_amount: '10000.00' },
  ]);
  expect(fees).toMatchObject([{ is_capitalized: true, outstanding_amount: '0.00' }]);
  expect(loan).toMatchObject({
    principal_balance: '10300.00',
    disbursed_amount: '10000.00',
    outstanding_fees: '0.00',
    payment_amount: '325.15',
  });
  expect(plan[0].beginning_balance).toBe('10300.00');
  expect(plan.at(-1).ending_balance).toBe('0.00');
  expect(await balancesByRole(tenant)).toEqual({
    loans_receivable: '10300.00',
    cash: '-10000.00',
    fee_income: '-300.00',
  });
  expect(await violationsIn(stage)).toEqual([]);
});

test('the cost of a loan is the same with a deducted or an upfront fee, and lower with a spread fee', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const aprOf = async (treatment: string) => {
    const { id } = await newApprovedLoan(tenant, [{ ...PERCENTAGE_FEE, treatment }]);
    return (await tenant.officer.get(`/loans/${id}`)).body.apr as string;
  };

  const aprs = {
    upfront: await aprOf('upfront'),
    deducted: await aprOf('deducted'),
    capitalized: await aprOf('capitalized'),
    amortized: await aprOf('amortized'),
  };

  expect(aprs.deducted).toBe(aprs.upfront);
  expect(Number(aprs.capitalized)).toBeLessThan(Number(aprs.deducted));
  expect(Number(aprs.amortized)).toBeLessThan(Number(aprs.capitalized));
  expect(Number(aprs.amortized)).toBeGreaterThan(0.085);
});

test('fees that would use up all proceeds are refused, and nothing is disbursed', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const flat = {
    ...DISBURSEMENT_FEE,
    calculation: 'flat',
    amount: '500.00',
    treatment: 'deducted',
  };
  const { id } = await newApprovedLoan(tenant, [flat]);

  const refused = await disburse(tenant, id, { amount: '500.00' });

  expect(refused).toMatchObject({
    status: 409,
    body: {
      code: 'fees_exceed_disbursement',
      details: { amount: '500.00', fee_deducted: '500.00' },
    },
  });
  expect(await balancesByRole(tenant)).toEqual({});
});

test('only disbursement fees may be treated other than upfront, and no payoff fee may', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const late = { fee_type: 'late', trigger: 'past_due', calculation: 'flat', amount: '25.00' };

  const refused = await admin.post('/products', {
    name: 'Late',
    code: 'late',
    fee_rules: [
      { ...late, treatment: 'deducted' },
      { ...late, trigger: 'payoff' },
    ],
  });

  expect(refused).toMatchObject({
    status: 422,
    body: {
      errors: {
        'fee_rules.0.treatment': expect.any(String),
        'fee_rules.1.trigger': 'Is not supported. Set the prepayment_penalty of the product.',
      },
    },
  });
});

test('a reversed disbursement leaves no fee, debt or income', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const rules = ['deducted', 'capitalized'].map((treatment) => ({ ...PERCENTAGE_FEE, treatment }));
  const { id } = await newApprovedLoan(tenant, rules);
  await disburse(tenant, id);
  await travelTo(stage, tenant, '2026-01-20');

  await tenant.within(async (work) => {
    const loan = await openLoan(work, id);
    const funding = loan.events.find(({ kind }) => kind === 'disbursement');
    const reverses = funding?.id ?? '';
    const reversal = newEvent({ kind: 'reversal', effective_date: work.today, reverses });
    await recordEvents(work, loan, [reversal], { newStatus: 'approved' });
  });

  expect(await balancesByRole(tenant)).toEqual({});
  expect((await fetchFundedLoan(tenant, id)).loan).toMatchObject({ principal_balance: '0.00' });
});

const anyRules = fc.array(
  fc.record({
    treatment: fc.constantFrom('upfront', 'deducted', 'capitalized', 'amortized'),
    percentage: fc.constantFrom('0.005', '0.0333'),
    calculation: fc.constantFrom('percent_of_disbursement', 'percent_of_principal'),
  }),
  { minLength: 1, maxLength: 4 },
);

test('for every fee treatment and kind of disbursement, the books are right', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyRules,
      fc.constantFrom('simple_daily', 'scheduled', 'flat'),
      fc.integer({ min: 300_000, max: 1_000_000 }),
      async (rules, interest_method, cents) => {
        const tenant = await stage.tenant('2026-01-15');
        const fee_rules = rules.map((rule) => ({ ...DISBURSEMENT_FEE, ...rule }));
        const { id } = await newApprovedLoan(tenant, fee_rules, { interest_method });
        await disburse(tenant, id, { amount: money(parseMoney('0.01').times(cents)) });
        await travelTo(stage, tenant, '2026-02-15');
        await tenant.officer.post(`/loans/${id}/payments`, { amount: '350.00' });
        await disburse(tenant, id);
        await travelTo(stage, tenant, '2026-03-20');
        await tenant.officer.post(`/loans/${id}/payments`, { amount: '350.00' });

        const { loan, payouts, fees } = await fetchFundedLoan(tenant, id);
        const net = sum(
          payouts.map((payout: { net_amount: string }) => parseMoney(payout.net_amount)),
        );
        const income = sum(fees.map((fee: { amount: string }) => parseMoney(fee.amount)));
        const books = await balancesByRole(tenant);
        expect(books['cash']).toBe(money(parseMoney('700.00').minus(net)));
        expect(books['fee_income']).toBe(money(income.neg()));
        expect(loan.past_due_amount >= '0.00').toBe(true);
        const paid = await tenant.officer.post(`/loans/${id}/pay-off`);
        expect(paid.body).toMatchObject({ status: 'paid_off', total_balance: '0.00' });
        expect(await violationsIn(stage)).toEqual([]);
      },
    ),
    { numRuns: Number(process.env['LIVES'] ?? 2) },
  );
}, 300_000);
