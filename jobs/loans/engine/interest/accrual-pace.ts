import type { Big } from 'big.js';
import { dateFromParts, daysBetween, earliest, dateParts } from '../../../dates.ts';
import {
  excessOver,
  isAboveZero,
  isLess,
  isZero,
  min,
  minus,
  parseMoney,
  plus,
  sum,
  ZERO,
} from '../../../money.ts';
import { toUnits, fromUnits, divideRounded, unitsPerOne } from '../../arithmetic/minor-units.ts';
import { cappedInterest, scheduledInterest } from '../../arithmetic/period-rate.ts';
import {
  interestOfPeriod,
  monthContaining,
  type Period,
} from '../../arithmetic/thirty-day-months.ts';
import { accruesBySchedule } from '../../arithmetic/terms.ts';
import {
  principalAndInterest,
  remainingInterest,
  installmentPeriod,
  type Installment,
} from '../coverage.ts';
import { interestBearingPrincipal } from './grace.ts';
import { setAccrualSource, type PeriodAccrual } from './interest.ts';
import { agreedRateOn, capOn, interestOwed, rateOn, type Position } from '../position.ts';

/**
 * The pace at which interest is earned: by the day, or spread evenly over a period. Loans that accrue by
 * schedule use the schedule's periods. Under 30/360, daily loans also use periods.
 */

/**
 * Sets the interest meter's balance, rate and pace from `date` on. Does nothing if none of them changed.
 */
export function updateAccrualPace(position: Position, date: string): void {
  if (position.funded_on === null) return;
  const stops = stopsOf(position);
  const is_running = stops === '';
  const balance = interestBearingPrincipal(position);
  const pace = isAboveZero(balance) ? paceOn(position, date) : null;
  const rate = rateOn(position, date);
  setAccrualSource(position.meter, date, {
    balance,
    rate,
    agreed_rate: position.caps.length === 0 ? null : cappedAgreedRate(position, rate, date),
    pace,
    is_running,
    stops,
  });
}

function cappedAgreedRate(position: Position, rate: Big, date: string): Big | null {
  const agreed = agreedRateOn(position, date);
  return isLess(rate, agreed) ? agreed : null;
}

/** The reasons why interest does not accrue. A charged-off loan earns no interest. */
function stopsOf({ stops, charged_off_on }: Position): string {
  if (stops.size === 0 && charged_off_on === null) return '';
  const reasons = charged_off_on === null ? [...stops] : [...stops, 'charge_off'];
  return reasons.toSorted().join('+');
}

function paceOn(position: Position, date: string): PeriodAccrual | null {
  const { terms, installments } = position;
  const open = accruesBySchedule(terms)
    ? installments.find(({ row, is_canceled }) => row.due_date > date && !is_canceled)
    : undefined;
  if (open !== undefined) return scheduledPace(position, open, date);
  return terms.day_count === '30_360' ? thirtyDayPace(position, date) : null;
}

const evenAccrual = ({ from, to }: Period, interest: Big): PeriodAccrual => ({
  interest,
  days: daysBetween(from, to),
  until: to,
});

/**
 * The pace of a period whose interest follows from the schedule. It earns nothing before the period begins.
 */
function scheduledPace(position: Position, open: Installment, date: string): PeriodAccrual {
  const period = installmentPeriod(open);
  if (date < period.from) return evenAccrual({ from: date, to: period.from }, ZERO);
  if (position.terms.interest_method === 'flat') return flatPace(position, open, date);
  const begins = open.earning === null || date <= period.from;
  open.earning = begins ? position.principal : earningSince(position, open.earning ?? ZERO);
  const rate = agreedRateOn(position, date);
  const agreed = scheduledInterest(position.terms, open.earning, rate, period);
  const most = mostInterest(position, date, open.earning, period);
  const interest = most === null ? agreed : min(agreed, most);
  const pace = evenAccrual(period, interest);
  open.interest = begins
    ? min(principalAndInterest(open), accruedNotYetDue(position, date).plus(interest))
    : interestAtNewPace(position, open.interest, pace, date);
  return pace;
}

/**
 * The agreed interest of the period. Under a legal cap, at most the cap's interest on the balance at the start of
 * the period: the flat rate counts on the original amount, so it is higher on the balance.
 */
function flatPace(position: Position, open: Installment, date: string): PeriodAccrual {
  const period = installmentPeriod(open);
  const agreed = evenAccrual(period, parseMoney((open.agreed ?? open.row).interest_amount));
  if (position.caps.length === 0) return agreed;
  const begins = open.earning === null || date <= period.from;
  if (begins) open.earning = min(position.principal, parseMoney(open.row.beginning_balance));
  const most = mostInterest(position, date, open.earning ?? ZERO, period);
  const pace = most === null ? agreed : evenAccrual(period, min(agreed.interest, most));
  if (date <= period.from) open.interest = pace.interest;
  else open.interest = interestAtNewPace(position, open.interest, pace, date);
  return pace;
}

/** The most that a legal cap allows for a period. Null if there is no cap. */
function mostInterest(position: Position, date: string, balance: Big, period: Period): Big | null {
  const cap = capOn(position, date);
  return cap === null ? null : cappedInterest(position.terms, balance, cap, period);
}

/**
 * A scheduled period earns on the balance at its start. Repayments within the period, including an early
 * payment of the installment itself, count from the next period on. New advances earn interest immediately.
 */
const earningSince = ({ principal, meter }: Position, earning: Big): Big =>
  plus(earning, excessOver(principal, meter.source.balance));

/**
 * Owed interest that exceeds what the earlier installments ask for, because one of them was too small to
 * cover it.
 */
function accruedNotYetDue(position: Position, date: string): Big {
  const before = position.installments.filter(
    ({ row, isPaidByComponent }) => row.due_date <= date && !isPaidByComponent,
  );
  return excessOver(interestOwed(position, date), sum(before.map(remainingInterest)));
}

const PACE_PLACES = 10;
const UNITS_PER_CENT = unitsPerOne(PACE_PLACES - 2);

/** The period's interest, in cents, after the pace of its remaining days changed on `date`. */
function interestAtNewPace(position: Position, interest: Big, now: PeriodAccrual, date: string) {
  const before = position.meter.source.pace;
  if (before?.until !== now.until) return interest;
  const more = minus(now.interest, before.interest);
  if (isZero(more)) return interest;
  const days = BigInt(now.days);
  const units =
    toUnits(interest, PACE_PLACES) * days +
    toUnits(more, PACE_PLACES) * BigInt(daysBetween(date, now.until));
  return fromUnits(divideRounded(units, days * UNITS_PER_CENT, position.meter.rounding_mode), 2);
}

function thirtyDayPace(position: Position, date: string): PeriodAccrual {
  const { terms } = position;
  const { period, until } = thirtyDayPeriod(position.installments, date);
  const interest = interestOfPeriod(
    interestBearingPrincipal(position),
    rateOn(position, date),
    terms,
    period,
  );
  return { ...evenAccrual(period, interest), until };
}

/**
 * The schedule's period that contains `date`, even if the installment is canceled. Outside any period: a
 * month counted from the last due date (or a calendar month), which ends early if a scheduled period
 * begins.
 */
function thirtyDayPeriod(installments: readonly Installment[], date: string) {
  const open = installments.find(({ row }) => row.due_date > date);
  const next = open && installmentPeriod(open);
  if (next && next.from <= date) return { period: next, until: next.to };
  const before = installments.findLast(({ row }) => row.due_date <= date);
  const { year, month } = dateParts(date);
  const period = monthContaining(before?.row.due_date ?? dateFromParts(year, month, 1), date);
  return { period, until: next ? earliest(period.to, next.from) : period.to };
}
