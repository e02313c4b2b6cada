import { Big } from 'big.js';
import { dayNumber, daysInMonth, isLeapYear, dateParts } from '../../dates.ts';
import { divide, isZero, roundToTenPlaces, ZERO } from '../../money.ts';
import { toUnits, divideRounded, unitsPerOne } from './minor-units.ts';
import type { DayCount } from './terms.ts';

const FRACTION_PLACES = 20;
export const RATE_PLACES = 10;
const ACCRUED_PLACES = 10;
/** The product of cents, rate and fraction has this many more units than accrued interest. */
const UNITS_OF_PRODUCT = unitsPerOne(2 + RATE_PLACES + FRACTION_PLACES - ACCRUED_PLACES);

/**
 * The part of a year from `from` (included) to `to` (excluded), with 20 places. Zero if `to` is before
 * `from`.
 *
 * `app.year_fraction` in SQL must return the same digits, because both sides compute round(balance × rate ×
 * fraction, 10). Every day count except 30_360 is additive up to the twentieth place: f(a, b) + f(b, c) =
 * f(a, c). 30_360 is therefore used only for whole periods (`thirty-day-months.ts`).
 */
export function yearFraction(dayCount: DayCount, from: string, to: string): Big {
  if (to <= from) return ZERO;
  const { days, basis } = countDays(dayCount, from, to);
  return dayFraction(days, basis);
}

/** A cache of quotients: at most some thousand day counts over a few bases. */
const QUOTIENTS = new Map<number, Map<number, Quotient>>();

/** A fraction of a year, as a decimal and in units of its last place. */
type Quotient = { fraction: Big; units: bigint };

function quotientOf(days: number, basis: number): Quotient {
  const known = QUOTIENTS.get(basis)?.get(days);
  if (known !== undefined) return known;
  const fraction = divide(new Big(days), basis).round(FRACTION_PLACES, 1);
  const quotient = { fraction, units: toUnits(fraction, FRACTION_PLACES) };
  const ofBasis = QUOTIENTS.get(basis) ?? new Map<number, Quotient>();
  QUOTIENTS.set(basis, ofBasis);
  if (ofBasis.size < 20_000) ofBasis.set(days, quotient);
  return quotient;
}

export const dayFraction = (days: number, basis: number): Big => quotientOf(days, basis).fraction;

/** The interest of a balance over a range of days, ten decimal places. */
export function interestFor(
  balance: Big,
  rate: Big,
  dayCount: DayCount,
  from: string,
  to: string,
): Big {
  if (isZero(balance) || isZero(rate)) return ZERO;
  return roundToTenPlaces(balance.times(rate).times(yearFraction(dayCount, from, to)));
}

/** The same in integers: the balance in cents, the rate and the result in units of their tenth place. */
export function accruedUnits(
  balance: bigint,
  rate: bigint,
  dayCount: DayCount,
  from: string,
  to: string,
): bigint {
  if (to <= from) return 0n;
  const { days, basis } = countDays(dayCount, from, to);
  return earnedUnits(balance, rate, { days, basis });
}

/** The interest of a balance in cents over a number of days. */
export const earnedUnits = (
  balance: bigint,
  rate: bigint,
  { days, basis }: { days: number; basis: number },
): bigint => divideRounded(balance * rate * quotientOf(days, basis).units, UNITS_OF_PRODUCT);

/** The days and the days of the year. For actual_actual both are scaled by 365 × 366. */
export function countDays(
  dayCount: DayCount,
  from: string,
  to: string,
): { days: number; basis: number } {
  if (dayCount === '30_360') return { days: thirty360(from, to), basis: 360 };
  const days = dayNumber(to) - dayNumber(from);
  if (dayCount === 'actual_360') return { days, basis: 360 };
  if (dayCount === 'actual_364') return { days, basis: 364 };
  if (dayCount === 'actual_365') return { days, basis: 365 };
  const inLeapYears = leapYearDaysBefore(to) - leapYearDaysBefore(from);
  return { days: (days - inLeapYears) * 366 + inLeapYears * 365, basis: 365 * 366 };
}

/** Counts days in leap years before a date, so that a range across 1 January is split correctly. */
function leapYearDaysBefore(date: string): number {
  const { year } = dateParts(date);
  const past = year - 1;
  const leapYears = Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400);
  const sinceNewYear = dayNumber(date) - dayNumber(`${date.slice(0, 4)}-01-01`);
  return leapYears * 366 + (isLeapYear(year) ? sinceNewYear : 0);
}

/** NASD rule: every month has 30 days, and the last days of February and of long months count as 30. */
function thirty360(from: string, to: string): number {
  const start = dateParts(from);
  const end = dateParts(to);
  const startsAtFebruaryEnd = isFebruaryEnd(start);
  const endDay = startsAtFebruaryEnd && isFebruaryEnd(end) ? 30 : end.day;
  const startDay = startsAtFebruaryEnd || start.day === 31 ? 30 : start.day;
  const cappedEnd = endDay === 31 && startDay === 30 ? 30 : endDay;
  return (end.year - start.year) * 360 + (end.month - start.month) * 30 + cappedEnd - startDay;
}

function isFebruaryEnd({ year, month, day }: { year: number; month: number; day: number }) {
  return month === 2 && day === daysInMonth(year, 2);
}
