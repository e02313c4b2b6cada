import { Big } from 'big.js';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays } from '../../../jobs/dates.ts';
import { buildSchedule } from '../../../jobs/loans/arithmetic/amortize.ts';
import { accruedUnits, interestFor } from '../../../jobs/loans/arithmetic/day-count.ts';
import {
  toUnits,
  fromUnits,
  parseCents,
  divideRounded,
  unitsPerOne,
  formatCents,
} from '../../../jobs/loans/arithmetic/minor-units.ts';
import {
  interestToCents,
  interestUnitsToCents,
} from '../../../jobs/loans/arithmetic/interest-rounding.ts';
import { DAY_COUNTS, INTEREST_ROUNDINGS } from '../../../jobs/loans/arithmetic/terms.ts';
import { prorateInterest } from '../../../jobs/loans/arithmetic/thirty-day-months.ts';
import {
  divide,
  money,
  parseMoney,
  ROUNDINGS,
  sum,
  roundToTenPlaces,
  toCents,
  ZERO,
} from '../../../jobs/money.ts';

/** Calculations in whole minor units equal those in decimals, to the last place. */

const anyCents = fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n });

test('cents are formatted and parsed like money', () => {
  fc.assert(
    fc.property(anyCents, (cents) => {
      const amount = new Big(cents.toString()).div(100);

      expect(formatCents(cents)).toBe(money(amount));
      expect(parseCents(formatCents(cents))).toBe(cents);
      expect(toUnits(amount, 2)).toBe(cents);
    }),
  );
});

test('units convert back to a decimal', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), fc.nat(20), (units, places) => {
      expect(toUnits(fromUnits(units, places), places)).toBe(units);
    }),
  );
});

test('interest for part of a period equals the result of decimals with thirty places', () => {
  const anyInterest = fc.bigInt({ min: 0n, max: 10n ** 16n }).map((units) => fromUnits(units, 10));
  const anyDays = fc.integer({ min: 1, max: 20_000 });
  fc.assert(
    fc.property(anyInterest, anyDays, fc.nat(), (interest, days, any) => {
      const passed = any % (days + 1);
      const exact = roundToTenPlaces(divide(interest.times(passed), days));

      expect(prorateInterest(interest, passed, days).toFixed(10)).toBe(exact.toFixed(10));
    }),
    { numRuns: 2_000 },
  );
});

test.each(['0', '5', '5.1', '-5.10', '-0.05', '0.00', '999999999999999.99'])(
  '%s is the same number of cents as with decimals',
  (text) => {
    expect(parseCents(text)).toBe(BigInt(parseMoney(text).times(100).toFixed()));
  },
);

test.each(['', '-', '1.', '.5', '1.005', '1e3', ' 1', '1,000.00', '1000000000000000'])(
  '"%s" is not an amount',
  (text) => {
    expect(() => parseCents(text)).toThrow(RangeError);
  },
);

test('an amount with too many decimal places is refused, and null stays null', () => {
  expect(() => toUnits(new Big('0.001'), 2)).toThrow(RangeError);
  expect(toUnits(new Big('0.00'), 2)).toBe(0n);
  expect(toUnits(ZERO, 0)).toBe(0n);
});

test('units round to cents like decimals, half a cent included', () => {
  const halves = fc.integer({ min: -2_000, max: 2_000 }).map((half) => BigInt(half) * 50_000_000n);
  const anyUnits = fc.oneof(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), halves);
  fc.assert(
    fc.property(anyUnits, fc.constantFrom(...ROUNDINGS), (units, mode) => {
      const cents = toCents(new Big(units.toString()).times('1e-10'), mode);

      expect(formatCents(divideRounded(units, unitsPerOne(8), mode))).toBe(money(cents));
    }),
  );
});

test('accrued interest rounds to cents in integers as in decimals, next to whole cents too', () => {
  const nearCents = fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 9n }), fc.bigInt({ min: -2_000n, max: 2_000n }))
    .map(([cents, noise]) => cents * 100_000_000n + noise);
  const anyUnits = fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 20n }), nearCents);
  fc.assert(
    fc.property(anyUnits, fc.constantFrom(...INTEREST_ROUNDINGS), (units, mode) => {
      const cents = interestToCents(new Big(units.toString()).times('1e-10'), mode);

      expect(formatCents(interestUnitsToCents(units, mode))).toBe(money(cents));
    }),
  );
});

test('interest rounded down loses fractions of a cent, but no cent that is missing noise only', () => {
  const thirds = Array.from({ length: 120 }, () => new Big('0.3333333333'));
  const down = (amount: string) => interestToCents(new Big(amount), 'down').toFixed(2);

  expect(down('1.9999')).toBe('1.99');
  expect(down('1.999999')).toBe('1.99');
  expect(down('0.0099999')).toBe('0.00');
  expect(interestToCents(sum(thirds), 'down').toFixed(2)).toBe('40.00');
});

const anyDay = fc.integer({ min: 0, max: 3_000 }).map((days) => addDays('2023-12-01', days));
const anyRate = fc
  .integer({ min: 0, max: 9_999_999_999 })
  .map((units) => new Big(units).times('1e-10'));

test('cents earn the same interest as an amount', () => {
  const anyBalance = fc.bigInt({ min: 0n, max: 10n ** 13n });
  const anyCount = fc.constantFrom(...DAY_COUNTS);
  fc.assert(
    fc.property(anyBalance, anyRate, anyCount, anyDay, anyDay, (cents, rate, count, from, to) => {
      const amount = interestFor(new Big(formatCents(cents)), rate, count, from, to);

      expect(accruedUnits(cents, toUnits(rate, 10), count, from, to)).toBe(toUnits(amount, 10));
    }),
  );
});

test('a schedule of a loan with daily accrual bills the interest that its balances earned', () => {
  const plans = fc.record({
    principal: fc.integer({ min: 10_000, max: 50_000_000 }).map((n) => formatCents(BigInt(n))),
    interest_rate: anyRate.map((rate) => rate.toFixed()),
    number_of_payments: fc.integer({ min: 1, max: 60 }),
    start_date: anyDay,
    day_count: fc.constantFrom('actual_365', 'actual_360', 'actual_364', 'actual_actual'),
    rounding_mode: fc.constantFrom(...INTEREST_ROUNDINGS),
  });
  fc.assert(
    fc.property(plans, (plan) => {
      const rows = buildSchedule({
        ...plan,
        payment_frequency: 'monthly',
        interest_method: 'simple_daily',
      });
      // Calculates each row independently in decimals: interest earned up to it, minus interest due before
      // it.
      const rate = new Big(plan.interest_rate);
      let earned = ZERO;
      const found = rows.map((row, at) => {
        const from = rows[at - 1]?.due_date ?? plan.start_date;
        const balance = new Big(row.beginning_balance);
        earned = earned.plus(interestFor(balance, rate, plan.day_count, from, row.due_date));
        return { until: earned, asked: sum(rows.slice(0, at + 1).map(interestOf)) };
      });

      // An installment smaller than its interest leaves the rest to later installments.
      const isEnough = rows.every(({ payment_amount, interest_amount }, at) =>
        at === rows.length - 1 ? true : payment_amount !== interest_amount,
      );
      for (const { until, asked } of isEnough ? found : found.slice(-1))
        expect(interestToCents(until, plan.rounding_mode).toFixed(2)).toBe(asked.toFixed(2));
      expect(money(sum(rows.map((row) => new Big(row.principal_amount))))).toBe(plan.principal);
    }),
  );
});

const interestOf = ({ interest_amount }: { interest_amount: string }) => new Big(interest_amount);
