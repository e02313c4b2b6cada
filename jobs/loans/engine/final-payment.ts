import type { Big } from 'big.js';
import { atLeastZero, min, parseMoney, sum, toCents, ZERO } from '../../money.ts';
import { isBilledByCycle, isFollowingPlan } from '../arithmetic/terms.ts';
import { openOf } from './coverage.ts';
import { stretchInterest } from './interest.ts';
import { claimed, copyOf, feesOwed, interestPrepaid, type Position } from './position.ts';
import { aheadOf, isPayable, pay, payPastDue } from './project.ts';
import type { Run } from './run.ts';

/**
 * What the last instalment will ask for, as things stand on the day that the run has come to: the
 * borrower pays that day what is past due, and each instalment on its date, and nothing else happens.
 * Null where nothing is asked for by instalments. The run stays as it is.
 *
 * It is what the schedule ahead says (engine/project.ts). Since every payment asks for it, the usual
 * loan is not paid off event by event: see `byTheDay`.
 */
export function finalPayment({ position, day }: Run): Big | null {
  if (!isPayable(position, day) || isBilledByCycle(position.terms)) return null;
  const run = { position: copyOf(position), day };
  payPastDue(run, day);
  return isUsual(run) ? byTheDay(run.position, day) : byEvents(run);
}

function byEvents(run: Run): Big | null {
  let last: Big | null = null;
  for (const { row } of aheadOf(run.position, run.day)) {
    const payment = pay(run, row.due_date);
    if (payment !== null) last = parseMoney(payment.amount);
  }
  return last;
}

/** One rate from now on, and money that pays all fees and interest before any principal. */
function isUsual({ position, day }: Run): boolean {
  const { terms, promos, stops, fees } = position;
  return (
    !isFollowingPlan(terms) &&
    terms.day_count !== '30_360' &&
    terms.allocation_order === null &&
    promos.every(({ to }) => to < day) &&
    stops.size === 0 &&
    ![...fees.values()].some(({ is_spread }) => is_spread) &&
    interestPrepaid(position, day).eq(0) &&
    claimed(position).eq(0)
  );
}

/** The same as by events where interest is a sum of stretches at one rate, without their explanations. */
function byTheDay(position: Position, day: string): Big | null {
  const { meter, terms } = position;
  let { principal, settled } = position;
  let fees = feesOwed(position);
  let stretch = { since: meter.since, source: meter.source, day_count: meter.day_count };
  let { base } = meter;
  let last: Big | null = null;
  const tolerance = parseMoney(terms.satisfied_tolerance);
  const rows = aheadOf(position, day);
  for (const installment of rows) {
    const { due_date } = installment.row;
    const accrued = base.plus(stretchInterest(stretch, due_date));
    const interest = atLeastZero(toCents(accrued, terms.rounding_mode).minus(settled));
    const owed = sum([principal, interest, fees]);
    const asked = installment === rows.at(-1) ? owed : min(openOf(installment, tolerance), owed);
    if (asked.lte(0)) continue;
    last = asked;
    const paidFees = min(asked, fees);
    const paidInterest = min(asked.minus(paidFees), interest);
    const paid = asked.minus(paidFees).minus(paidInterest);
    fees = fees.minus(paidFees);
    settled = settled.plus(paidInterest);
    if (paid.lte(ZERO)) continue;
    principal = principal.minus(paid);
    base = accrued;
    stretch = { ...stretch, since: due_date, source: { ...stretch.source, balance: principal } };
  }
  return last;
}
