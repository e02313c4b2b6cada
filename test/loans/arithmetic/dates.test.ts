import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  federalHolidays,
  isBusinessDay,
  nextBusinessDay,
} from '../../../jobs/banks/bank-calendar.ts';
import {
  addDays,
  addMonths,
  dayOfWeek,
  daysBetween,
  isDate,
  monthEnd,
} from '../../../jobs/dates.ts';
import {
  dueDates,
  firstPaymentDate,
  numberOfPayments,
} from '../../../jobs/loans/arithmetic/due-dates.ts';
import { money, parseMoney, parseRate, toCents } from '../../../jobs/money.ts';
import { date } from '../../../sql/types.ts';

describe('a date', () => {
  test('moves by months to the intended day, or to the end of a shorter month', () => {
    expect(addMonths('2026-01-31', 1)).toBe('2026-02-28');
    expect(addMonths('2026-02-28', 1, 31)).toBe('2026-03-31');
    expect(addMonths('2024-03-31', -1)).toBe('2024-02-29');
    expect(monthEnd('2026-04-03')).toBe('2026-04-30');
  });

  test('agrees with Postgres', () => {
    fc.assert(
      fc.property(fc.integer({ min: -20_000, max: 60_000 }), fc.nat(2_000), (start, days) => {
        const from = addDays('1970-01-01', start);
        const plain = Temporal.PlainDate.from(from);

        expect(addDays(from, days)).toBe(plain.add({ days }).toString());
        expect(addMonths(from, days % 500)).toBe(plain.add({ months: days % 500 }).toString());
        expect(dayOfWeek(from)).toBe(plain.dayOfWeek);
        expect(daysBetween(from, addDays(from, days))).toBe(days);
      }),
      { numRuns: 3000 },
    );
  });

  test('differs from another by the calendar’s number of days, in any year', () => {
    const any = fc.integer({ min: -719_162, max: 2_932_896 });
    fc.assert(
      fc.property(any, any, (one, other) => {
        const [from, to] = [one, other].map((days) =>
          Temporal.PlainDate.from('1970-01-01').add({ days }).toString(),
        );
        expect(daysBetween(from ?? '', to ?? '')).toBe(other - one);
      }),
      { numRuns: 3000 },
    );
  });

  test('is accepted if the calendar has it, from 1800 to 9999', () => {
    const part = (max: number, length: number) =>
      fc.nat(max).map((number) => String(number).padStart(length, '0'));
    const isDay = (text: string) => {
      try {
        return text >= '1800' && Temporal.PlainDate.from(text).toString() === text;
      } catch {
        return false;
      }
    };
    fc.assert(
      fc.property(part(9999, 4), part(13, 2), part(32, 2), (year, month, day) => {
        const text = `${year}-${month}-${day}`;
        expect(date.safeParse(text).success).toBe(isDay(text));
      }),
      { numRuns: 5000 },
    );
    for (const leap of ['2024-02-29', '2100-02-29', '2000-02-29'])
      expect(date.safeParse(leap).success).toBe(isDay(leap));
  });

  test.each(['2026-02-30', '2026-13-01', '26-01-01', '2026-1-1', '', '2026-01-01T00:00'])(
    'is not %j',
    (text) => {
      expect(isDate(text)).toBe(false);
    },
  );
});

describe('a business day', () => {
  test('excludes weekends and federal holidays', () => {
    expect(federalHolidays(2026)).toEqual([
      '2026-01-01',
      '2026-01-19',
      '2026-02-16',
      '2026-05-25',
      '2026-06-19',
      '2026-07-04',
      '2026-09-07',
      '2026-10-12',
      '2026-11-11',
      '2026-11-26',
      '2026-12-25',
    ]);
    expect(isBusinessDay('2027-07-05')).toBe(false);
    expect(nextBusinessDay('2026-07-04')).toBe('2026-07-06');
    expect(nextBusinessDay('2026-11-26')).toBe('2026-11-27');
  });
});

describe('due dates', () => {
  test('of a half-monthly loan are half a month apart', () => {
    expect(dueDates('semi_monthly', '2026-01-15', 4)).toEqual([
      '2026-01-15',
      '2026-01-31',
      '2026-02-15',
      '2026-02-28',
    ]);
  });

  test('start on the first payment day that leaves enough days', () => {
    const given = {
      rule: 'next_month_on_payment_day',
      frequency: 'monthly',
      payment_day: 1,
      min_days: 15,
      term_months: 12,
    } as const;

    expect(firstPaymentDate({ ...given, disbursed_on: '2026-01-10' })).toBe('2026-02-01');
    expect(firstPaymentDate({ ...given, disbursed_on: '2026-01-20' })).toBe('2026-03-01');
    expect(firstPaymentDate({ ...given, disbursed_on: '2026-01-31', payment_day: null })).toBe(
      '2026-02-28',
    );
  });

  test.each([
    ['monthly', 12],
    ['quarterly', 4],
    ['semi_monthly', 24],
    ['biweekly', 26],
    ['weekly', 52],
    ['single', 1],
  ] as const)('of a %s loan occur %i times a year', (frequency, count) => {
    expect(numberOfPayments(frequency, 12)).toBe(count);
  });
});

describe('money', () => {
  test.each(['1e3', 'NaN', '1.005', '', ' 1', '1,000.00', '.5', 'Infinity', '--1'])(
    'is not %j',
    (text) => {
      expect(() => parseMoney(text)).toThrow('is not an amount');
    },
  );

  test('is written with two decimal places and never as minus zero', () => {
    expect(money('1000')).toBe('1000.00');
    expect(money('-0.004')).toBe('0.00');
    expect(money('0.005')).toBe('0.01');
  });

  test('distributes every cent of a total exactly', () => {
    fc.assert(
      fc.property(fc.bigInt(-(10n ** 16n), 10n ** 16n), fc.nat(20), (cents, smaller) => {
        const whole = cents / 10n ** BigInt(smaller);
        const text = String(whole < 0n ? -whole : whole).padStart(3, '0');
        const written = `${whole < 0n ? '-' : ''}${text.slice(0, -2)}.${text.slice(-2)}`;
        expect(money(new Big(whole.toString()).div(100))).toBe(written);
      }),
      { numRuns: 2000 },
    );
  });

  test('rounds in the given mode', () => {
    expect(toCents(new Big('0.125'), 'half_even').toFixed(2)).toBe('0.12');
    expect(toCents(new Big('0.121'), 'up').toFixed(2)).toBe('0.13');
  });

  test('has rates that are decimal fractions', () => {
    expect(parseRate('0.085').toFixed()).toBe('0.085');
    expect(() => parseRate('-0.01')).toThrow('is not a rate');
  });
});
