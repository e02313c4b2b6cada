import { Big } from 'big.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addDays } from '../../../jobs/dates.ts';
import type { AccrualStopReason, LoanEvent } from '../../../jobs/loans/engine/events.ts';
import { deferredInterest } from '../../../jobs/loans/workouts/promotions.ts';
import { money } from '../../../jobs/money.ts';
import { START, stateOn } from '../fixtures.ts';

const day = (days: number) => addDays(START, days);

/** A reason that stops accrual between two days of the loan, and whether its end catches up. */
type Stop = { reason: AccrualStopReason; from: number; to: number; catch_up?: boolean };

const eventsOf = (stops: readonly Stop[]): LoanEvent[] =>
  stops.flatMap(({ reason, from, to, catch_up = false }): LoanEvent[] => [
    { id: `${reason}-stop`, kind: 'accrual_stop', effective_date: day(from), reason },
    { id: `${reason}-start`, kind: 'accrual_start', effective_date: day(to), reason, catch_up },
  ]);

const TERMS = { interest_rate: '0.12' };
const PRINCIPAL_PAID: LoanEvent = {
  id: 'p',
  kind: 'payment',
  effective_date: START,
  amount: '786.57',
  payment_type: 'extra_principal',
};

/** Interest of the loan of 9213.43 by a day: 3.0291 for each day that accrued. */
const accruedBy = (days: number, stops: readonly Stop[]) =>
  stateOn(day(days), [PRINCIPAL_PAID, ...eventsOf(stops)], TERMS).accrued_interest;

const NON_ACCRUAL: Stop = { reason: 'non_accrual', from: 0, to: 40, catch_up: true };

test('freeze days within non-accrual are not caught up', () => {
  expect(accruedBy(40, [NON_ACCRUAL])).toBe('121.16');
  expect(accruedBy(40, [NON_ACCRUAL, { reason: 'freeze', from: 10, to: 20 }])).toBe('90.87');
});

test('frozen days of a deferred-interest promotion are neither charged at its end nor shown as deferred', () => {
  const promo: Stop = { reason: 'promo', from: 0, to: 22, catch_up: true };
  const stops: Stop[] = [promo, { reason: 'freeze', from: 5, to: 9 }];
  const state = (days: number) => stateOn(day(days), eventsOf(stops), TERMS);

  expect(state(22).accrued_interest).toBe('59.18');
  expect(deferredInterest(state(21), START)).toBe('55.89');
});

describe('which days are caught up', () => {
  const freeze: Stop = { reason: 'freeze', from: 20, to: 50 };
  const promo: Stop = { reason: 'promo', from: 10, to: 30, catch_up: true };

  test.each<[string, readonly Stop[], number]>([
    ['a freeze that outlives the promotion keeps the days before it', [promo, freeze], 20],
    ['a freeze that begins before non-accrual', [{ ...freeze, from: 0, to: 10 }, NON_ACCRUAL], 30],
    ['non-accrual that ends without an agreement', [{ ...NON_ACCRUAL, catch_up: false }], 0],
    ['a promotion within such non-accrual', [{ ...NON_ACCRUAL, catch_up: false }, promo], 0],
    ['a promotion within agreed non-accrual', [NON_ACCRUAL, promo], 40],
    ['a waived deferment in non-accrual', [NON_ACCRUAL, { ...freeze, reason: 'deferment' }], 20],
  ])('%s', (_, stops, days) => {
    const daily = new Big('9213.43').times('0.12').div(365);
    const last = Math.max(...stops.map(({ to }) => to));

    expect(accruedBy(last, stops)).toBe(money(daily.times(days)));
  });
});

test('a day accrues if nothing stopped it, or if every stop was caught up', () => {
  const anyStop = (reason: AccrualStopReason, catches: boolean) =>
    fc
      .record({
        from: fc.integer({
          min: 0,
          max: 40,
        }),
        length: fc.integer({
          min: 1,
          max: 40,
        }),
        catch_up: catches ? fc.boolean() : fc.constant(false),
      })
      .map(({ from, length, catch_up }) => ({ reason, from, to: from + length, catch_up }));
  const anyStops = fc
    .tuple(
      anyStop('non_accrual', true),
      anyStop('promo', true),
      anyStop('freeze', false),
      anyStop('forbearance', false),
      anyStop('deferment', false),
    )
    .chain((stops) => fc.subarray(stops));

  fc.assert(
    fc.property(anyStops, (stops) => {
      const isEarned = (at: number) =>
        stops.every(({ from, to, catch_up }) => at < from || at >= to || catch_up);
      const days = Array.from({ length: 90 }, (_, at) => at).filter(isEarned).length;
      const daily = new Big('9213.43').times('0.12').div(365);

      expect(accruedBy(90, stops)).toBe(money(daily.times(days)));
    }),
  );
});

test('payments on an accelerated non-accrual loan repay principal before fees and interest', () => {
  const events: LoanEvent[] = [
    { id: 'f', kind: 'fee', effective_date: day(5), amount: '25.00' },
    { id: 'a', kind: 'acceleration', effective_date: day(10) },
    { id: 'n', kind: 'accrual_stop', effective_date: day(10), reason: 'non_accrual' },
    { id: 'p', kind: 'payment', effective_date: day(12), amount: '300.00' },
  ];

  const state = stateOn(day(12), events, TERMS);

  expect(state).toMatchObject({ principal_balance: '9700.00', outstanding_fees: '25.00' });
});
