import { Big } from 'big.js';
import { addMonths, daysBetween, monthEnd, dateParts } from '../../dates.ts';
import { divide, ZERO } from '../../money.ts';

/** The common period of a transaction (Regulation Z, Appendix J, (b)(4)). */
export type UnitPeriod =
  | { kind: 'month'; count: number }
  | { kind: 'semimonth' }
  | { kind: 'week'; count: number }
  | { kind: 'day' };

/** Full unit-periods and a fraction of one, counted from the start of the term. */
export type Interval = { full: number; fraction: Big };

type UnitCounting = { intervalTo: (date: string) => Interval; per_year: Big };

/**
 * Counts time by Appendix J, (b)(5). Months are counted back from the later date, and the remaining days
 * are 30ths of a month. Weeks and days are real days.
 */
export function unitPeriods(
  start: string,
  dates: readonly string[],
  unit: UnitPeriod,
): UnitCounting {
  if (unit.kind === 'week') {
    const days = 7 * unit.count;
    const per_year = divide(new Big(52), unit.count);
    return { per_year, intervalTo: (date) => toInterval(daysBetween(start, date), days) };
  }
  if (unit.kind === 'day') {
    return {
      per_year: new Big(365),
      intervalTo: (date) => toInterval(daysBetween(start, date), 1),
    };
  }
  const days = unit.kind === 'semimonth' ? 15 : 30 * unit.count;
  const per_year = unit.kind === 'semimonth' ? new Big(24) : divide(new Big(12), unit.count);
  const dayOfSeries = Math.max(...dates.map((date) => dateParts(date).day));
  const intervalTo = (date: string) => {
    const { months, rest } = monthsBack(start, date, dayOfSeries);
    return toInterval(30 * months + rest, days);
  };
  const isMonthly = unit.kind === 'month' && unit.count === 1;
  return { per_year, intervalTo: isMonthly ? monthlyInterval(start, dayOfSeries) : intervalTo };
}

/** With a unit-period of one month, 30 remaining days stay a fraction and do not become a month. */
function monthlyInterval(start: string, dayOfSeries: number) {
  return (date: string): Interval => {
    const { months, rest } = monthsBack(start, date, dayOfSeries);
    return { full: months, fraction: unitFraction(rest, 30) };
  };
}

/** A cache of some hundred quotients. */
const FRACTION_CACHE = new Map<string, Big>();

function unitFraction(days: number, perUnit: number): Big {
  const key = `${days}/${perUnit}`;
  const known = FRACTION_CACHE.get(key);
  if (known !== undefined) return known;
  const part = divide(new Big(days), perUnit);
  if (FRACTION_CACHE.size < 1_000) FRACTION_CACHE.set(key, part);
  return part;
}

/**
 * For one advance and one payment the unit-period is the term if it is shorter than a year: in months if it
 * is whole months, otherwise in days. For longer terms it is a year.
 */
export function singlePaymentIntervals(
  from: string,
  to: string,
): { interval: Interval; per_year: Big } {
  const { months, rest } = monthsBack(from, to, dateParts(to).day);
  const days = Math.max(1, daysBetween(from, to));
  if (months < 12) {
    const per_year =
      rest === 0 && months > 0 ? divide(new Big(12), months) : divide(new Big(365), days);
    return { interval: { full: 1, fraction: ZERO }, per_year };
  }
  const years = Math.floor(months / 12);
  const yearsBack = addMonths(to, -12 * years);
  const fraction =
    rest === 0
      ? divide(new Big(months % 12), 12)
      : divide(new Big(daysBetween(from, yearsBack)), 365);
  return { interval: { full: years, fraction }, per_year: new Big(1) };
}

/** Full months counted back from `date`, and the remaining days from `start`. */
function monthsBack(start: string, date: string, dayOfSeries: number) {
  const day = date === monthEnd(date) ? Math.max(dayOfSeries, dateParts(date).day) : undefined;
  const from = dateParts(start);
  const to = dateParts(date);
  let months = (to.year - from.year) * 12 + (to.month - from.month);
  if (months > 0 && addMonths(date, -months, day) < start) months -= 1;
  months = Math.max(0, months);
  return { months, rest: daysBetween(start, addMonths(date, -months, day)) };
}

function toInterval(days: number, perUnit: number): Interval {
  const full = Math.floor(days / perUnit);
  return { full, fraction: unitFraction(days - full * perUnit, perUnit) };
}
