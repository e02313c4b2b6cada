import { Big } from 'big.js';
import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { daysBetween, isLeapYear } from '../../../jobs/dates.ts';
import { replay, type FoldInput } from '../../../jobs/loans/engine/fold.ts';
import { sumParts } from '../../../jobs/loans/engine/amount-parts.ts';
import {
  payoffAmount,
  payoffParts,
  repaymentAmount,
  repaymentAmountParts,
} from '../../../jobs/loans/engine/projection/payoff-amounts.ts';
import { toLoanState } from '../../../jobs/loans/engine/state.ts';
import { explainBill, partSteps } from '../../../jobs/loans/explanations/bill-steps.ts';
import type { Calculation, WordedStep } from '../../../jobs/loans/explanations/explanation.ts';
import { explainInterest } from '../../../jobs/loans/explanations/interest-steps.ts';
import type { OpenLoan } from '../../../jobs/loans/history/open-loan.ts';
import { money, parseMoney, sum } from '../../../jobs/money.ts';
import { explanationText } from '../../../templates/explanations.ts';
import { anyLife } from '../arbitraries.ts';
import { anyServicedLife } from '../serviced-life.ts';

const RUNS = { numRuns: Number(process.env['LIVES'] ?? 100) };

/** Thousands of lives take long on a busy machine. */
vi.setConfig({ testTimeout: 180_000 });

const lives = [
  ['any life', anyLife],
  ['a life that is serviced', anyServicedLife(24)],
] as const;

/** The loan as read from the database. Explanations use only the terms of its row. */
function loanOf(input: FoldInput): OpenLoan {
  const run = replay(input);
  const state = toLoanState(run.position, input.as_of);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no other field of the row is read.
  const row = { terms: input.terms } as unknown as OpenLoan['row'];
  return { ...input, row, state, folded: { input, run } };
}

const sumOf = (steps: readonly WordedStep[]) =>
  money(sum(steps.map(({ amount }) => parseMoney(amount ?? ''))));
const daysOf = (steps: readonly WordedStep[]) =>
  steps.reduce((total, { days }) => total + (days ?? 0), 0);

const READERS = [
  { language: 'en', locale: 'en-US', currency: 'USD' },
  { language: 'es', locale: 'en-US', currency: 'USD' },
];

/** Every sentence has all of its values. */
function assertAllValuesShown({ steps, summary }: Calculation) {
  for (const reader of READERS) {
    for (const { key, values } of [summary, ...steps.map(({ sentence }) => sentence)]) {
      const text = explanationText(key, values, reader);
      expect(text).not.toMatch(/undefined|null|NaN|[{}|]|\s[.,)]|\s{2}/);
    }
  }
}

test.each(lives)('the steps of interest add up to the interest owed: %s', (_, anyOf) => {
  fc.assert(
    fc.property<[FoldInput]>(anyOf, (life) => {
      const loan = loanOf(life);
      const found = explainInterest(loan);

      expect(sumOf(found.steps)).toBe(loan.state.accrued_interest);
      expect(found.amount).toBe(loan.state.accrued_interest);
      assertAllValuesShown(found);
    }),
    RUNS,
  );
});

test.each(lives)('the interest of a step follows from the facts that it shows: %s', (_, anyOf) => {
  fc.assert(
    fc.property<[FoldInput]>(anyOf, (life) => {
      for (const step of explainInterest(loanOf(life)).steps) {
        const { rule, from, to, days, amount, interest } = step;
        if (interest === null || rule !== 'accrued' || from === null || to === null) continue;
        expect(days).toBe(daysBetween(from, to));
        const { period_interest, period_days, exact_amount } = interest;
        const exact =
          period_interest === null || period_days === null
            ? new Big(interest.balance).times(interest.rate).times(yearsOf(step))
            : new Big(period_interest).times(days ?? 0).div(period_days);
        expect(exact.minus(exact_amount).abs().lt('0.00000001')).toBe(true);
        expect(
          new Big(exact_amount)
            .minus(amount ?? '')
            .abs()
            .lte('0.01'),
        ).toBe(true);
      }
    }),
    RUNS,
  );
});

/** Counts day by day and shares no code with the engine. */
function yearsOf({ from, to, interest }: WordedStep): Big {
  const basis = interest?.day_count;
  if (basis !== 'actual_actual') {
    const year = { actual_365: 365, actual_364: 364 }[basis ?? ''] ?? 360;
    return new Big(daysBetween(from ?? '', to ?? '')).div(year);
  }
  const start = Date.parse(from ?? '');
  const days = daysBetween(from ?? '', to ?? '');
  const inLeapYears = Array.from({ length: days }, (_, day) =>
    new Date(start + day * 86_400_000).getUTCFullYear(),
  ).filter(isLeapYear).length;
  return new Big(days - inLeapYears).div(365).plus(new Big(inLeapYears).div(366));
}

test.each(lives)('the steps of the bill add up to its amounts and days: %s', (_, anyOf) => {
  fc.assert(
    fc.property<[FoldInput]>(anyOf, (life) => {
      const loan = loanOf(life);
      const due = explainBill(loan, 'amount_due');
      const late = explainBill(loan, 'past_due_amount');
      const days = explainBill(loan, 'days_past_due');

      expect(sumOf(due.steps)).toBe(loan.state.bill.amount_due);
      expect(sumOf(late.steps)).toBe(loan.state.past_due_amount);
      expect(daysOf(days.steps)).toBe(loan.state.days_past_due);
      expect(due.steps.slice(0, late.steps.length)).toEqual(late.steps);
      for (const { amount, installment } of due.steps) {
        if (installment === null) continue;
        const { payment_amount, paid_amount } = installment;
        expect(money(parseMoney(payment_amount).minus(paid_amount))).toBe(amount);
      }
      for (const found of [due, late, days]) assertAllValuesShown(found);
    }),
    RUNS,
  );
});

test.each(lives)(
  'the parts of the payoff amount add up to it, with any penalty: %s',
  (_, anyOf) => {
    fc.assert(
      fc.property<[FoldInput, string]>(
        anyOf,
        fc.constantFrom('0.00', '150.00'),
        (life, penalty) => {
          const { state } = loanOf(life);
          const parts = payoffParts(state, parseMoney(penalty));
          const owed = parseMoney(state.total_balance).plus(penalty).minus(state.suspense_balance);
          const chargedOff = state.is_charged_off ? '0.00' : state.charge_off_balance;
          const prepaid = parseMoney(state.interest_settled).minus(state.interest_earned);
          const expected = owed.plus(chargedOff).minus(prepaid.gt(0) ? prepaid : 0);

          expect(money(payoffAmount(state, parseMoney(penalty)))).toBe(
            money(expected.gt(0) ? expected : '0.00'),
          );
          expect(sumOf(partSteps(parts, { date: life.as_of }))).toBe(money(sumParts(parts)));
          expect(money(repaymentAmount(state))).toBe(money(sumParts(repaymentAmountParts(state))));
        },
      ),
      RUNS,
    );
  },
);
