import { Big } from 'big.js';
import { dayNumber, daysInMonth, isLeapYear, dateParts } from '../../dates.ts';
import { divide, isZero, roundToTenPlaces, ZERO } from '../../money.ts';
import { toUnits, divideRounded, unitsPerOne } from './minor-units.ts';
import type { DayCount } from './terms.ts';

const FRACTION_PLACES = 20;
export const RATE_PLACES = 10;
const ACCRUED_PLACES = 10;
/** Cents times a rate times a fraction have so many more places than what has accrued is kept with. */
const UNITS_OF_PRODUCT = unitsPerOne(2 + RATE_PLACES + FRACTION_PLACES - ACCRUED_PLACES);

/**
 * The part of a year from one date (counted) to another (not counted), as a fraction of 20 places.
 *
 * `app.year_fraction` in SQL is this function again, so that both sides compute the same interest
 * to the last digit: round(balance × rate × fraction, 10). All but 30_360, which is therefore used for
 * whole periods only (thirty-day-months.ts), are additive: f(a, b) + f(b, c) = f(a, c) but for the
 * twentieth place. Nothing is before the start: 0.
 */
export function yearFraction(dayCount: DayCount, from: string, to: string): Big {
  if (to <= from) return ZERO;
  const { days, basis } = countDays(dayCount, from, to);
  return dayFraction(days, basis);
}

/** Quotients are few and asked for often: at most some thousand days over some bases. */
const QUOTIENTS = new Map<number, Map<number, Quotient>>();

/** A fraction of a year, and the same in units of its last place. */
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

/** What a balance earns at a rate over a stretch of days, kept with ten places. */
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

/** The same of cents, at a rate in units of its tenth place; in units of the tenth place of one. */
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

/** What cents earn over so many days of a year's. */
export const earnedUnits = (
  balance: bigint,
  rate: bigint,
  { days, basis }: { days: number; basis: number },
): bigint => divideRounded(balance * rate * quotientOf(days, basis).units, UNITS_OF_PRODUCT);

/** Days over the days of a year. For actual_actual both are scaled by 365 × 366. */
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

/** Days before a date that lie in leap years, so that a year split by 1 January is split right. */
function leapYearDaysBefore(date: string): number {
  const { year } = dateParts(date);
  const past = year - 1;
  const leapYears = Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400);
  const sinceNewYear = dayNumber(date) - dayNumber(`${date.slice(0, 4)}-01-01`);
  return leapYears * 366 + (isLeapYear(year) ? sinceNewYear : 0);
}

/** The NASD rule: months have 30 days, and the ends of February and of long months count as 30. */
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
