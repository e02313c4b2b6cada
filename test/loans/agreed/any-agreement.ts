import * as fc from 'fast-check';
import { addDays } from '../../../jobs/dates.ts';
import { buildSchedule } from '../../../jobs/loans/arithmetic/amortize.ts';
import type { Agreement } from '../../../jobs/loans/schedule/agreement.ts';

export const START = '2026-01-31';

export const anyAmount = fc
  .integer({ min: 1, max: 400_000 })
  .map((cents) => (cents / 100).toFixed(2));

/** Half of the days come from a small set, so that events share a day or fall on due dates. */
export const day = fc
  .oneof(
    fc.integer({ min: 0, max: 800 }),
    fc.integer({ min: 0, max: 12 }).map((month) => month * 31),
  )
  .map((days) => addDays(START, days));

/** Any schedule that replaces the loan's own from some installment on. */
const anyPlan = fc
  .record({ day, first: fc.integer({ min: 1, max: 6 }), count: fc.integer({ min: 1, max: 9 }) })
  .map(({ day: start_date, first, count }) =>
    buildSchedule({
      principal: '5000.00',
      interest_rate: '0.1299',
      payment_frequency: 'monthly',
      number_of_payments: count,
      start_date,
      first_period_number: first,
    }),
  );

const number = fc.integer({ min: 1, max: 12 });
const payment_day = fc.option(fc.integer({ min: 1, max: 31 }));

/** Any event that agrees on a new schedule. */
export const anyAgreement: fc.Arbitrary<Agreement> = fc.oneof(
  anyPlan.map((rows) => ({ rule: 'written', rows }) as const),
  fc.record(
    {
      rule: fc.constant('spread' as const),
      from: fc.oneof(number, fc.constant('oldest_unpaid' as const)),
      dates: fc.record({ first: day, count: number, payment_day }),
      payment_amount: anyAmount,
      accrues_from: day,
      interest_only: number,
      more_fees: fc.constantFrom('0.00', '10.01'),
    },
    { requiredKeys: ['rule', 'from'] },
  ),
  fc.record(
    {
      rule: fc.constant('moved' as const),
      from: number,
      by: fc.oneof(
        fc.record({ periods: fc.integer({ min: 1, max: 4 }), payment_day }),
        fc.record({ days: number }),
        fc.record({ payment_day: fc.integer({ min: 1, max: 31 }) }),
        fc.record({ first: day }),
      ),
      asks_interest: fc.constant(true as const),
    },
    { requiredKeys: ['rule', 'from', 'by'] },
  ),
  fc.record({
    rule: fc.constant('named' as const),
    installments: fc.array(
      fc.record(
        { number, due_date: day, amount: anyAmount },
        { requiredKeys: ['number', 'due_date'] },
      ),
      { minLength: 1, maxLength: 3 },
    ),
  }),
  fc.record({
    rule: fc.constant('lowered' as const),
    numbers: fc.array(number, { minLength: 1, maxLength: 4 }),
    to: fc.oneof(anyAmount, fc.constantFrom('interest' as const, 'paid' as const)),
    shortfall: fc.constantFrom('next' as const, 'last' as const),
  }),
  fc.record({ rule: fc.constant('minimum' as const), number, begins: day, due_date: day }),
);
