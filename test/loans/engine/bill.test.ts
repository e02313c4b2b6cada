import { Big } from 'big.js';
import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { buildSchedule } from '../../../jobs/loans/arithmetic/amortize.ts';
import { finalPayment } from '../../../jobs/loans/engine/projection/final-payment.ts';
import { fold, replay, type FoldInput } from '../../../jobs/loans/engine/fold.ts';
import { projectSchedule } from '../../../jobs/loans/engine/projection/project.ts';
import { money, sum } from '../../../jobs/money.ts';
import { fundedLoan, type Contract } from '../any-contract.ts';
import { anyLife } from '../arbitraries.ts';
import { DISBURSED, payment, SCHEDULE, START, TERMS } from '../fixtures.ts';
import { anyServicedLife } from '../serviced-life.ts';

vi.setConfig({ testTimeout: 300_000 });
const numRuns = Number(process.env['LIVES'] ?? 120);

test('the parts of a bill add up to the amount due, which never exceeds the debt by then', () => {
  fc.assert(
    fc.property(anyLife, (life) => {
      const state = fold(life);
      const { bill, as_of } = state;
      const { installment, past_due, fees_due, amount_due } = bill;
      for (const { amount, ...parts } of [installment, past_due]) {
        const amounts = Object.values(parts).map((part) => new Big(part));
        expect(money(sum(amounts))).toBe(amount);
        expect(amounts.every((part) => part.gte(0))).toBe(true);
      }
      const asked = [installment.amount, past_due.amount, fees_due].map((part) => new Big(part));
      const known = life.events.filter(
        ({ effective_date, kind }) => effective_date <= as_of || kind === 'reversal',
      );
      const by = fold({ ...life, events: known, as_of: bill.due_date ?? as_of });

      expect(money(sum(asked))).toBe(amount_due);
      expect(new Big(amount_due).lte(by.total_balance)).toBe(true);
    }),
    { numRuns },
  );
});

const finalOf = (life: FoldInput) => {
  const final = finalPayment(replay(life));
  return final && money(final);
};

function lastAskedOf(life: FoldInput) {
  const asked = projectSchedule(life)
    .filter(({ due_date, status }) => due_date >= life.as_of && status !== 'canceled')
    .map(({ payment_amount, paid_amount }) => new Big(payment_amount).minus(paid_amount))
    .filter((amount) => amount.gt(0));
  return money(asked.at(-1) ?? '0.00');
}

/** A payment on the day of a new schedule takes effect before it. */
const isPlannedToday = ({ events, as_of }: FoldInput) =>
  events.some(({ kind, effective_date }) => kind === 'schedule_agreed' && effective_date === as_of);

test.each([
  ['any life', anyLife],
  ['a life that is serviced', anyServicedLife(24)],
])('the final payment equals the last payment of the remaining schedule: %s', (_, lives) => {
  fc.assert(
    fc.property(lives as fc.Arbitrary<FoldInput>, (life) => {
      const final = finalOf(life);
      if (final === null || isPlannedToday(life)) return;
      expect(final).toBe(lastAskedOf(life));
    }),
    { numRuns },
  );
});

test('the final payment is projected when a spread fee is between partly paid installments', () => {
  const terms: Contract = {
    principal: '500.00',
    interest_rate: '0.2999',
    term_months: 8,
    extra_payment_to: 'next_installment',
  };
  const loan = fundedLoan({ ...terms, interest_method: 'scheduled', spread_fees: '120.35' });
  // It repays principal first, and covers the first installment without paying its interest.
  const settling = payment('p', START, '126.97', { payment_type: 'settlement' });
  const life = { ...loan, events: [...loan.events, { ...settling, effective_date: '2026-01-31' }] };

  expect(finalOf({ ...life, as_of: '2026-01-31' })).toBe('78.00');
  expect(lastAskedOf({ ...life, as_of: '2026-01-31' })).toBe('78.00');
});

test('the final payment changes with payments, not with the passing of days', () => {
  const schedule = buildSchedule({
    principal: '10000.00',
    interest_rate: '0.085',
    interest_method: 'simple_daily',
    payment_frequency: 'monthly',
    number_of_payments: 36,
    start_date: START,
  });
  const life = { terms: TERMS, schedule, events: [DISBURSED], as_of: START };
  const late = { ...life, events: [DISBURSED, payment('p', '2026-02-25', '315.68')] };
  const more = { ...life, events: [DISBURSED, payment('p', '2026-02-15', '5000.00')] };

  expect(finalOf(life)).toBe(schedule.at(-1)?.payment_amount);
  expect(finalOf({ ...life, as_of: '2026-02-15' })).toBe(finalOf(life));
  expect(Number(finalOf({ ...late, as_of: '2026-02-25' }))).toBeGreaterThan(Number(finalOf(life)));
  // The last installment for which an amount remains.
  expect(Number(finalOf({ ...more, as_of: '2026-02-15' }))).toBeLessThan(315.68);
});

test('an amount that is owed after all installments were paid is billed on the last due date', () => {
  const fee = { id: 'f', kind: 'fee', effective_date: '2026-01-20', amount: '25.00' } as const;
  const ahead = { extra_payment_to: 'next_installment' } as const;
  const schedule = SCHEDULE.slice(0, 2).map((row) => ({ ...row, payment_amount: '5000.00' }));
  const two = payment('p', '2026-01-20', '10000.00', ahead);

  const state = fold({
    terms: TERMS,
    schedule,
    events: [DISBURSED, fee, two],
    as_of: '2026-01-21',
  });

  expect(state.installments.map(({ status }) => status)).toEqual(['paid', 'paid']);
  expect(state.next_payment_date).toBe('2026-03-15');
  expect(state.bill.amount_due).toBe(state.bill.installment.amount);
  expect(Number(state.bill.amount_due)).toBeGreaterThan(25);
});
