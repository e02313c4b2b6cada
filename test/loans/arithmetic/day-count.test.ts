import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addDays } from '../../../jobs/dates.ts';
import { countDays, interestFor, yearFraction } from '../../../jobs/loans/arithmetic/day-count.ts';
import { DAY_COUNTS } from '../../../jobs/loans/arithmetic/terms.ts';

describe('a part of a year', () => {
  test.each([
    ['actual_365', '2026-01-15', '2026-02-15', '0.08493150684931506849'],
    ['actual_360', '2026-01-15', '2026-02-15', '0.08611111111111111111'],
    ['actual_364', '2026-01-15', '2026-02-15', '0.08516483516483516484'],
    // ISDA, "EMU and Market Conventions: Recent Developments": 61 / 365 + 121 / 366.
    ['actual_actual', '2003-11-01', '2004-05-01', '0.49772438'],
  ] as const)('by %s from %s to %s', (dayCount, from, to, fraction) => {
    expect(yearFraction(dayCount, from, to).toFixed(20)).toContain(fraction);
  });

  test.each([
    ['2026-01-15', '2026-02-15', 30],
    ['2026-01-31', '2026-02-28', 28],
    ['2026-02-28', '2026-03-31', 30],
    ['2026-01-30', '2026-03-31', 60],
    ['2026-01-15', '2026-03-31', 76],
    ['2024-02-29', '2025-02-28', 360],
    ['2025-02-28', '2024-02-29', -360],
  ])('by 30/360, as the NASD counts, has from %s to %s %i days', (from, to, days) => {
    expect(countDays('30_360', from, to).days).toBe(days);
  });

  test('is zero if the end is not after the start', () => {
    expect(yearFraction('actual_365', '2026-02-15', '2026-02-15').eq(0)).toBe(true);
    expect(yearFraction('30_360', '2026-02-15', '2026-01-15').eq(0)).toBe(true);
  });
});

const anyDay = fc.integer({ min: 0, max: 15_000 }).map((days) => addDays('2000-01-01', days));

test('of two adjoining periods is the part of the whole, except by 30/360', () => {
  const additive = DAY_COUNTS.filter((dayCount) => dayCount !== '30_360');
  fc.assert(
    fc.property(fc.constantFrom(...additive), anyDay, fc.nat(900), fc.nat(900), (how, a, m, n) => {
      const b = addDays(a, m);
      const c = addDays(b, n);
      const whole = countDays(how, a, c).days;

      expect(countDays(how, a, b).days + countDays(how, b, c).days).toBe(whole);
    }),
    { numRuns: 5000 },
  );
});

test('interest never decreases as days pass', () => {
  fc.assert(
    fc.property(fc.constantFrom(...DAY_COUNTS), anyDay, fc.nat(800), (how, from, days) => {
      const to = addDays(from, days);
      const [balance, rate] = [new Big('10000'), new Big('0.085')];
      const today = interestFor(balance, rate, how, from, to);
      const tomorrow = interestFor(balance, rate, how, from, addDays(to, 1));

      expect(tomorrow.gte(today)).toBe(true);
    }),
    { numRuns: 5000 },
  );
});
