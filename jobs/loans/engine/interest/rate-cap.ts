import type { Big } from 'big.js';
import { addDays, daysBetween } from '../../../dates.ts';
import {
  atLeastZero,
  isEqual,
  min,
  minus,
  money,
  parseMoney,
  plus,
  toCents,
  ZERO,
} from '../../../money.ts';
import type { ScheduleRow } from '../../arithmetic/amortize.ts';
import { interestFor } from '../../arithmetic/day-count.ts';
import { cappedInterest, scheduledInterest } from '../../arithmetic/period-rate.ts';
import { accruesBySchedule, isBilledByCycle, type Terms } from '../../arithmetic/terms.ts';
import {
  interestOfPeriod,
  prorateInterest,
  type Period,
} from '../../arithmetic/thirty-day-months.ts';
import { installmentPeriod, setRow, type PlannedRow } from '../coverage.ts';
import { agreedRateOn, capOn, endsOfRateLimits, isInForce, type Position } from '../position.ts';

/**
 * A legal limit of the rate, such as the 6 percent of the Servicemembers Civil Relief Act (50 USC 3937):
 *
 * - Interest above it is forgiven, not deferred: (a)(2). The fold never counts it.
 * - Each installment falls by the forgiven interest of its period: (a)(3). Principal is repaid as agreed, so the
 *   agreed rate and installment return when the cap ends.
 * - Fees count as interest: (d)(1). Fees of these days are forgiven.
 */

/** True if the law forgives fees that are assessed on a day. */
export const forgivesFeesOn = (position: Position, date: string): boolean =>
  position.fee_reliefs.some(isInForce(date)) || capOn(position, date) !== null;

/**
 * Reduces the installments that are due after `date`, or restores them if a cap no longer reduces them. Interest
 * that is less than the forgiven interest reduces later installments, because their interest was moved there.
 */
export function reduceInstallments(position: Position, date: string): void {
  if (!isReduced(position)) return;
  const agreed = position.installments.map((installment) => installment.agreed ?? installment.row);
  const planned = reducedRows(position, agreed);
  let excess = ZERO;
  for (const [index, installment] of position.installments.entries()) {
    const plan = planned[index];
    if (plan === undefined || installment.row.due_date <= date || installment.is_canceled) continue;
    const isSameAmount = plan.row.payment_amount === installment.row.payment_amount;
    if (isSameAmount && excess.eq(0)) continue;
    const before = plus(installment.covered, excess);
    setRow(installment, plan, { hasBegun: installmentPeriod(installment).from < date });
    installment.covered = min(before, installment.amount);
    installment.isCovered = isEqual(installment.covered, installment.amount);
    if (!installment.isCovered) installment.paid_date = null;
    excess = minus(before, installment.covered);
  }
}

/** The rows as the borrower pays them, each with the agreed row if the cap reduces it. */
export function reducedRows(position: Position, rows: readonly ScheduleRow[]): PlannedRow[] {
  if (!isReduced(position)) return rows.map((row) => ({ row, agreed: null }));
  let forgiven = ZERO;
  return rows.map((row) => {
    forgiven = plus(forgiven, forgivenInterest(position, row));
    const reduction = min(forgiven, parseMoney(row.interest_amount));
    if (reduction.eq(0)) return { row, agreed: null };
    forgiven = minus(forgiven, reduction);
    const reduced = {
      ...row,
      payment_amount: money(parseMoney(row.payment_amount).minus(reduction)),
      interest_amount: money(parseMoney(row.interest_amount).minus(reduction)),
    };
    return { row: reduced, agreed: row };
  });
}

/** The minimum payments of a line follow from the interest that is owed (`minimum-payment.ts`). */
const isReduced = ({ caps, terms }: Position): boolean =>
  caps.length > 0 && !isBilledByCycle(terms);

/** The interest above the cap on the scheduled balance of a row's period, in cents. */
function forgivenInterest(position: Position, row: ScheduleRow): Big {
  const period = periodOf(row);
  let forgiven = ZERO;
  for (const part of constantParts(position, period)) {
    const cap = capOn(position, part.from);
    if (cap === null) continue;
    const agreed = agreedInterest(position, row, period, part);
    const most = cappedInterestOfPart(position.terms, row, cap, period, part);
    forgiven = plus(forgiven, atLeastZero(minus(agreed, most)));
  }
  return toCents(forgiven);
}

const periodOf = ({ due_date, days_in_period }: ScheduleRow): Period => ({
  from: addDays(due_date, -days_in_period),
  to: due_date,
});

/** The parts of a period in which neither the agreed rate nor the cap changes. */
function constantParts(position: Position, { from, to }: Period): Period[] {
  const starts = [...position.promos, ...position.caps].map((limit) => limit.from);
  const changes = [
    ...starts,
    ...endsOfRateLimits(position),
    ...position.earlier_rates.map(({ until }) => until),
  ].filter((day) => from < day && day < to);
  const days = [from, ...new Set(changes.toSorted()), to];
  return days.slice(1).map((end, index) => ({ from: days[index] ?? from, to: end }));
}

function agreedInterest(position: Position, row: ScheduleRow, period: Period, part: Period): Big {
  const { terms } = position;
  if (terms.interest_method === 'flat')
    return partOf(parseMoney(row.interest_amount), period, part);
  return interestOfPart(terms, row, agreedRateOn(position, part.from), period, part);
}

function interestOfPart(
  terms: Terms,
  { beginning_balance }: ScheduleRow,
  rate: Big,
  period: Period,
  part: Period,
): Big {
  const balance = parseMoney(beginning_balance);
  if (accruesBySchedule(terms))
    return partOf(scheduledInterest(terms, balance, rate, period), period, part);
  if (terms.day_count === '30_360')
    return partOf(interestOfPeriod(balance, rate, terms, period), period, part);
  return interestFor(balance, rate, terms.day_count, part.from, part.to);
}

function cappedInterestOfPart(
  terms: Terms,
  row: ScheduleRow,
  cap: Big,
  period: Period,
  part: Period,
): Big {
  if (!accruesBySchedule(terms)) return interestOfPart(terms, row, cap, period, part);
  const balance = parseMoney(row.beginning_balance);
  return partOf(cappedInterest(terms, balance, cap, period), period, part);
}

const partOf = (interest: Big, period: Period, part: Period): Big =>
  prorateInterest(interest, daysBetween(part.from, part.to), daysBetween(period.from, period.to));
