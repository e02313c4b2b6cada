import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { addDays } from '../../../jobs/dates.ts';
import {
  AMORTIZATIONS,
  completeTerms,
  DAY_COUNTS,
  EXTRA_PAYMENT_TARGETS,
  FIRST_PAYMENT_RULES,
  INSTALLMENT_CALCULATIONS,
  INTEREST_METHODS,
  INTEREST_ROUNDINGS,
  PAYMENT_FREQUENCIES,
} from '../../../jobs/loans/arithmetic/terms.ts';
import type { LoanEvent } from '../../../jobs/loans/engine/events.ts';
import { fold } from '../../../jobs/loans/engine/fold.ts';
import { computeCost } from '../../../jobs/loans/origination/cost.ts';
import { firstSchedule } from '../../../jobs/loans/schedule/first-schedule.ts';
import { FEE_TREATMENTS } from '../../../jobs/loans/products/fee-rules.ts';
import { sumFeesByTreatment, fundingFees } from '../../../jobs/loans/products/fee-amounts.ts';
import { readTerms } from '../../../jobs/loans/products/loan-terms.ts';
import { money, parseMoney, sum } from '../../../jobs/money.ts';
import type { RawLoan } from '../../../sql/loans/loans.ts';

vi.setConfig({ testTimeout: 600_000 });

const ON = '2026-01-31';
const cents = (min: number, max: number) =>
  fc.integer({ min, max }).map((amount) => (amount / 100).toFixed(2));

const anyFeeRule = fc.record({
  fee_type: fc.constant('origination' as const),
  trigger: fc.constant('disbursement' as const),
  treatment: fc.constantFrom(...FEE_TREATMENTS),
  calculation: fc.constantFrom('flat', 'percent_of_principal', 'percent_of_disbursement'),
  amount: cents(100, 9_999),
  percentage: fc.constantFrom('0.005', '0.0333'),
});

const anyLoan = fc.record({
  principal_amount: cents(100_000, 50_000_000),
  interest_rate: fc.constantFrom('0', '0.0399', '0.03625', '0.085', '0.1299', '0.2999'),
  term_months: fc.integer({ min: 1, max: 60 }),
  payment_day: fc.option(fc.integer({ min: 1, max: 31 })),
  payment_frequency: fc.constantFrom(...PAYMENT_FREQUENCIES),
  kind: fc.record({
    day_count: fc.constantFrom(...DAY_COUNTS),
    interest_method: fc.constantFrom(...INTEREST_METHODS),
    amortization: fc.constantFrom(...AMORTIZATIONS),
    installment_calculation: fc.constantFrom(...INSTALLMENT_CALCULATIONS),
    rounding_mode: fc.constantFrom(...INTEREST_ROUNDINGS),
    extra_payment_to: fc.constantFrom(...EXTRA_PAYMENT_TARGETS),
    first_payment_rule: fc.constantFrom(...FIRST_PAYMENT_RULES),
    min_days_to_first_payment: fc.constantFrom(1, 15, 40),
    fee_rules: fc.array(anyFeeRule, { maxLength: 4 }),
  }),
});

const anyFunding = fc.record({
  share: fc.constantFrom('1', '0.5'),
  first: fc.option(fc.integer({ min: 1, max: 90 })),
});

/** The loan as actually funded, with every fee. Fees due at funding are paid immediately. */
function funded(loan: RawLoan, amount: string, first_payment_date: string | null) {
  const fees = fundingFees(loan, { amount, isFirst: true });
  const terms = readTerms(loan);
  const principal = parseMoney(amount).plus(sumFeesByTreatment(fees, 'capitalized'));
  const spread_fees = sumFeesByTreatment(fees, 'amortized');
  const schedule = firstSchedule(terms, { principal, on: ON, first_payment_date, spread_fees });
  const financed = fees.flatMap(({ rule: { fee_type }, amount: fee, treatment }, at) =>
    treatment === 'deducted' || treatment === 'capitalized'
      ? [{ fee_id: `f${at}`, fee_type, amount: money(fee), treatment }]
      : [],
  );
  const on = { effective_date: ON };
  const owed = fees.flatMap(({ amount: fee, treatment }, at): LoanEvent[] =>
    treatment === 'upfront' || treatment === 'amortized'
      ? [
          {
            ...on,
            id: `f${at}`,
            fee_id: `f${at}`,
            kind: 'fee',
            amount: money(fee),
            is_spread: treatment === 'amortized',
          },
        ]
      : [],
  );
  const upfront = money(sumFeesByTreatment(fees, 'upfront'));
  const events: LoanEvent[] = [
    { ...on, id: 'd', kind: 'disbursement', amount, fees: financed },
    ...owed,
    ...(upfront === '0.00'
      ? []
      : [{ ...on, id: 'p', kind: 'payment', amount: upfront, payment_type: 'fee_only' } as const]),
  ];
  return { input: { terms, schedule, events }, fees };
}

test('a borrower who pays as disclosed owes nothing at the end', () => {
  fc.assert(
    fc.property(anyLoan, anyFunding, ({ kind, ...own }, { share, first }) => {
      const loan = {
        ...own,
        loan_type: 'installment',
        terms: { ...completeTerms({ ...kind, payment_frequency: own.payment_frequency }), ...kind },
      } as unknown as RawLoan;
      const amount = money(parseMoney(own.principal_amount).times(share));
      const first_payment_date = first === null ? null : addDays(ON, first);
      const cost = computeCost(loan, { amount, on: ON, first_payment_date });
      fc.pre(cost !== null);
      const { input, fees } = funded(loan, amount, first_payment_date);
      const paid: LoanEvent[] = [];

      for (const [index, { due_date, payment_amount }] of cost.schedule.entries()) {
        const isSampled = [0, 5, cost.schedule.length - 1].includes(index);
        if (isSampled) {
          const asked = fold({ ...input, events: [...input.events, ...paid], as_of: due_date });
          expect([asked.next_payment_date, asked.next_payment_amount]).toEqual([
            due_date,
            payment_amount,
          ]);
          expect(asked.past_due_amount).toBe('0.00');
        }
        const id = `p${String(index).padStart(4, '0')}`;
        paid.push({ id, kind: 'payment', effective_date: due_date, amount: payment_amount });
      }

      const as_of = cost.schedule.at(-1)?.due_date ?? ON;
      const end = fold({ ...input, events: [...input.events, ...paid], as_of });
      expect([end.total_balance, end.suspense_balance]).toEqual(['0.00', '0.00']);
      // The finance charge is all earned interest plus every fee.
      const charged = sum(fees.map((fee) => fee.amount)).plus(end.total_paid_interest);
      expect(cost.finance_charge).toBe(money(charged));
      expect(cost.total_of_payments).toBe(
        money(parseMoney(cost.amount_financed).plus(cost.finance_charge)),
      );
    }),
    { numRuns: Number(process.env['LIVES'] ?? 60) },
  );
});
