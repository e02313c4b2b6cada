import * as fc from 'fast-check';
import { addDays } from '../../jobs/dates.ts';
import { newEvent } from '../../jobs/loans/history/new-event.ts';
import type { Agreement } from '../../jobs/loans/schedule/agreement.ts';

/** Lives of loans in the database with one event per day. See stored-outlook.test.ts. */
export const START = '2023-11-20';

const cents = (least: number, most: number) =>
  fc.integer({ min: least, max: most }).map((amount) => (amount / 100).toFixed(2));
const number = fc.integer({ min: 1, max: 24 });

const anyAgreement: fc.Arbitrary<Agreement> = fc.oneof(
  fc.record({
    rule: fc.constant('moved' as const),
    from: number,
    by: fc.record({ periods: fc.integer({ min: 1, max: 3 }), payment_day: fc.constant(null) }),
  }),
  fc.record({
    rule: fc.constant('lowered' as const),
    numbers: fc.array(number, { minLength: 1, maxLength: 4 }),
    to: fc.oneof(cents(0, 20_000), fc.constantFrom('interest' as const, 'paid' as const)),
    shortfall: fc.constantFrom('next' as const, 'last' as const),
  }),
  fc.record({ rule: fc.constant('spread' as const), from: fc.constant('oldest_unpaid' as const) }),
);

const payment = fc.record({
  kind: fc.constant('payment' as const),
  amount: cents(100, 90_000),
  extra_payment_to: fc.constantFrom('principal' as const, 'next_installment' as const),
});
const rare = fc.oneof(
  fc.record({ kind: fc.constant('fee' as const), amount: cents(100, 5_000) }),
  fc.record({
    kind: fc.constantFrom('accrual_stop' as const, 'accrual_start' as const),
    reason: fc.constant('freeze' as const),
  }),
  fc.record({
    kind: fc.constant('rate_change' as const),
    interest_rate: fc.integer({ min: 0, max: 3000 }).map((rate) => (rate / 10_000).toFixed(4)),
  }),
  fc.integer({ min: 1, max: 40 }).map((days) => ({ kind: 'delinquency_pause' as const, days })),
  fc.record({
    kind: fc.constant('promo' as const),
    interest_rate: fc.constantFrom('0', '0.0199'),
    days: fc.integer({ min: 1, max: 200 }),
  }),
  fc.record({
    kind: fc.constant('rate_cap' as const),
    interest_rate: fc.constantFrom('0.03', '0.06'),
    days: fc.integer({ min: 1, max: 200 }),
  }),
  fc.record({ kind: fc.constant('schedule_agreed' as const), agreement: anyAgreement }),
  fc.record({ kind: fc.constant('charge_off' as const), principal_amount: cents(100, 50_000) }),
);
const acceleration = fc.record({ kind: fc.constant('acceleration' as const) });

const anEvent = fc.oneof(
  { weight: 8, arbitrary: payment },
  { weight: 6, arbitrary: rare },
  { weight: 1, arbitrary: acceleration },
);

export const aStory = fc.record({
  term_months: fc.integer({ min: 3, max: 24 }),
  interest_rate: fc.integer({ min: 0, max: 3000 }).map((rate) => (rate / 10_000).toFixed(4)),
  product: fc.integer({ min: 0, max: 4 }),
  events: fc.array(fc.record({ after: fc.integer({ min: 0, max: 500 }), what: anEvent }), {
    maxLength: 12,
  }),
  looks: fc.array(fc.oneof(fc.integer({ min: 0, max: 900 }), fc.integer({ min: 0, max: 40 })), {
    minLength: 1,
    maxLength: 4,
  }),
});
type What = typeof anEvent extends fc.Arbitrary<infer Value> ? Value : never;

export function eventOn(effective_date: string, what: What) {
  if (!('days' in what)) return newEvent({ effective_date, ...what });
  const { days, ...rest } = what;
  return newEvent({ effective_date, ...rest, to: addDays(effective_date, days) });
}
