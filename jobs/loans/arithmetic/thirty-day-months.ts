import type { Big } from 'big.js';
import { addMonths, daysBetween, earliest, monthEnd, dateParts } from '../../dates.ts';
import { isZero, roundToTenPlaces, ZERO } from '../../money.ts';
import { countDays, earnedUnits, dayFraction, yearFraction } from './day-count.ts';
import { toUnits, fromUnits, divideRounded } from './minor-units.ts';
import type { PaymentFrequency, Terms } from './terms.ts';

/**
 * Interest by 30/360. Counts between arbitrary days would not add up, because real months have 28 to 31
 * days. A whole period therefore has its 30/360 days, and its interest is spread evenly over its real days.
 * A payment within a period neither costs nor saves a day.
 */

/** From one due date (included) to the next (excluded). Without a schedule: a month. */
export type Period = { from: string; to: string };

type Counting = Pick<Terms, 'day_count' | 'payment_frequency'>;

/**
 * The 30/360 days of a period. A month has 30 days and half a month 15, whatever its length. Weeks have
 * their real days. Odd periods, such as a long first one, follow the NASD rule.
 */
export function daysOfPeriod(frequency: PaymentFrequency, { from, to }: Period): number {
  if (frequency === 'weekly' || frequency === 'biweekly') {
    const days = daysBetween(from, to);
    if (days % 7 === 0) return days;
  }
  if (isWholeMonths(from, to)) return 30 * monthsBetween(from, to);
  if (frequency === 'semi_monthly' && isHalfMonth(from, to)) return 15;
  return countDays('30_360', from, to).days;
}

export function fractionOfPeriod(counting: Counting, { from, to }: Period): Big {
  const { day_count, payment_frequency } = counting;
  if (day_count !== '30_360' || to <= from) return yearFraction(day_count, from, to);
  return dayFraction(daysOfPeriod(payment_frequency, { from, to }), 360);
}

/** The interest of a balance over a whole period, ten decimal places. */
export const interestOfPeriod = (
  balance: Big,
  rate: Big,
  counting: Counting,
  period: Period,
): Big => roundToTenPlaces(balance.times(rate).times(fractionOfPeriod(counting, period)));

/** The same under 30/360 in integers, in the units of `earnedUnits`. */
export const unitsOfPeriod = (
  balance: bigint,
  rate: bigint,
  { payment_frequency }: Counting,
  period: Period,
): bigint =>
  period.to <= period.from
    ? 0n
    : earnedUnits(balance, rate, { days: daysOfPeriod(payment_frequency, period), basis: 360 });

/** The part of a period's interest that is earned after `passed` of its days. */
export const prorateInterest = (interest: Big, passed: number, days: number): Big =>
  passed === days || isZero(interest)
    ? interest
    : fromUnits(divideRounded(toUnits(interest, 10) * BigInt(passed), BigInt(days)), 10);

/** The interest of a balance from the start of the first period to `to`. */
export function interestOver(
  balance: Big,
  rate: Big,
  counting: Counting,
  periods: readonly Period[],
  to: string,
): Big {
  return periods
    .filter(({ from }) => from < to)
    .reduce((total, period) => {
      const whole = interestOfPeriod(balance, rate, counting, period);
      const passed = daysBetween(period.from, earliest(period.to, to));
      return total.plus(prorateInterest(whole, passed, daysBetween(period.from, period.to)));
    }, ZERO);
}

/** The month that contains `date`, counted from `origin`, for example from the last due date. */
export function monthContaining(origin: string, date: string): Period {
  const day = dateParts(origin).day;
  const months = monthsBetween(origin, date);
  const begin = addMonths(origin, months, day);
  const index = begin > date ? months - 1 : months;
  return { from: addMonths(origin, index, day), to: addMonths(origin, index + 1, day) };
}

/** Calendar months, ignoring the days. */
function monthsBetween(from: string, to: string): number {
  const [start, end] = [dateParts(from), dateParts(to)];
  return (end.year - start.year) * 12 + end.month - start.month;
}

/** True if both dates fall on the same intended day. In a short month that day is the month's end. */
function isWholeMonths(from: string, to: string): boolean {
  const months = monthsBetween(from, to);
  const day = Math.max(dateParts(from).day, dateParts(to).day);
  return months > 0 && addMonths(from, 0, day) === from && addMonths(to, 0, day) === to;
}

/** True for pairs such as the 1st and 16th, the 15th and the month's end, the 28th and the 13th. */
function isHalfMonth(from: string, to: string): boolean {
  const [start, end] = [dateParts(from), dateParts(to)];
  const early = Math.min(start.day, end.day);
  const late = start.day > end.day ? from : to;
  const isNext = monthsBetween(from, to) === (late === from ? 1 : 0);
  return isNext && early <= 15 && isHalfAfter(early, late);
}

const isHalfAfter = (early: number, late: string): boolean =>
  late === addMonths(late, 0, early + 15) || (early === 15 && late === monthEnd(late));
