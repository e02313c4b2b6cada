import { Big } from 'big.js';
import { dateFromParts, dateParts, daysBetween, isLeapYear } from '../../../dates.ts';
import { isAboveZero, plus } from '../../../money.ts';
import { countDays } from '../../arithmetic/day-count.ts';
import { interestToCents } from '../../arithmetic/interest-rounding.ts';
import { divideRounded, fromUnits, toUnits, unitsPerOne } from '../../arithmetic/minor-units.ts';
import type { Terms } from '../../arithmetic/terms.ts';
import { interestAt, type InterestMeter } from '../interest/interest.ts';

/**
 * Interest on a straight line. All interest accrued up to the start of a day is
 *
 *   interest_base + round(interest_per_basis * (interest_units + units_per_day * days) / interest_basis, 10)
 *
 * where `days` counts from the row's first day. The division comes last so that the result has the same digits as
 * the fold. A rounded daily amount would differ at half a cent.
 *
 * Example: 10000.00 at 8 % by actual/365 earns 800 * days / 365. Under actual/actual, a year has 365 * 366 units: a
 * day of a leap year counts 365 units, another day 366. Under a schedule or 30/360, the amount is the interest of a
 * whole period and the basis is the period's days.
 */
export type InterestLine = {
  interest_base: string;
  interest_per_basis: string;
  interest_units: number;
  units_per_day: number;
  interest_basis: number;
};

/** The line from `from` on, at the meter's current pace. */
export function interestLine(meter: InterestMeter, from: string): InterestLine {
  const { since, source } = meter;
  if (since === null || !source.is_running || !isAboveZero(source.balance)) {
    return flatLine(interestAt(meter, from));
  }
  const base = { interest_base: meter.base.toFixed(10) };
  if (source.pace !== null) {
    return {
      ...base,
      interest_per_basis: source.pace.interest.toFixed(),
      interest_units: daysBetween(since, from),
      units_per_day: 1,
      interest_basis: source.pace.days,
    };
  }
  const { days, basis } = countDays(meter.day_count, since, from);
  return {
    ...base,
    interest_per_basis: source.balance.times(source.rate).toFixed(),
    interest_units: days,
    units_per_day: unitsPerDay(meter, from),
    interest_basis: basis,
  };
}

const flatLine = (base: Big): InterestLine => ({
  interest_base: base.toFixed(10),
  interest_per_basis: '0',
  interest_units: 0,
  units_per_day: 0,
  interest_basis: 1,
});

function unitsPerDay({ day_count }: InterestMeter, from: string): number {
  if (day_count !== 'actual_actual') return 1;
  return isLeapYear(dateParts(from).year) ? 365 : 366;
}

/**
 * The last day on which the line of `from` keeps its pace. Only actual/actual changes its pace: on 1 January at the
 * start or end of a leap year. Null if the pace never changes.
 */
export function lastDayOfYearLine({ day_count, source }: InterestMeter, from: string) {
  if (day_count !== 'actual_actual' || source.pace !== null) return null;
  const { year } = dateParts(from);
  return isLeapYear(year) === isLeapYear(year + 1) ? null : dateFromParts(year + 1, 1, 1);
}

const AMOUNT_PLACES = 12;
const ACCRUED_PLACES = 10;
const UNITS_OF_AMOUNT = unitsPerOne(AMOUNT_PLACES - ACCRUED_PLACES);

/** All interest accrued before the day that is `days` after the line's first day, with ten decimal places. */
export function accruedOn(line: InterestLine, days: number): Big {
  const units = toUnits(new Big(line.interest_per_basis), AMOUNT_PLACES);
  if (units === 0n) return new Big(line.interest_base);
  const part = units * BigInt(line.interest_units + line.units_per_day * days);
  const earned = divideRounded(part, BigInt(line.interest_basis) * UNITS_OF_AMOUNT);
  return plus(new Big(line.interest_base), fromUnits(earned, ACCRUED_PLACES));
}

export const accruedCentsOn = (
  line: InterestLine,
  days: number,
  rounding: Terms['rounding_mode'],
): Big => interestToCents(accruedOn(line, days), rounding);
