import type { Big } from 'big.js';
import { addDays } from '../../../dates.ts';
import { excessOver, isZero, min, minus, ZERO } from '../../../money.ts';
import type { Position } from '../position.ts';

/**
 * Grace period of a credit line (`grace_on_purchases`). Draws bear no interest if the borrower pays each
 * statement balance in full by its due date. Otherwise the unpaid balance bears interest from the day after
 * the due date, never for earlier days (12 CFR 1026.54(a)).
 */

export const interestBearingPrincipal = ({ principal, cycle }: Position): Big =>
  minus(principal, cycle.interest_free);

/** A draw within the grace period bears no interest. */
export function drawInGrace({ cycle }: Position, amount: Big): void {
  if (cycle.has_grace) cycle.interest_free = cycle.interest_free.plus(amount);
}

/** Repayments reduce interest-bearing principal first. */
export function capInterestFreeBalance({ cycle, principal }: Position): void {
  if (!isZero(cycle.interest_free)) cycle.interest_free = min(cycle.interest_free, principal);
}

/**
 * Counts a payment or credit towards the statement balance. Paying it in full by the due date restores the
 * grace period.
 */
export function payStatement({ cycle, terms }: Position, amount: Big, date: string): void {
  cycle.statement_remainder = excessOver(cycle.statement_remainder, amount);
  const isInTime = cycle.due_date !== null && date <= cycle.due_date;
  if (terms.grace_on_purchases && isInTime && cycle.statement_remainder.eq(0))
    cycle.has_grace = true;
}

/**
 * The day on which the grace period ends unless the statement balance is paid before. Null if no end is
 * set.
 */
export function graceEndDate({ cycle }: Position): string | null {
  const { due_date, has_grace, statement_remainder, grace_ends } = cycle;
  if (!has_grace || grace_ends !== null) return grace_ends;
  return due_date !== null && statement_remainder.gt(0) ? addDays(due_date, 1) : null;
}

/** Ends the grace period if its end date has come. */
export function endGrace(position: Position, date: string): void {
  const end = graceEndDate(position);
  if (end === null || end > date) return;
  Object.assign(position.cycle, { has_grace: false, interest_free: ZERO, grace_ends: null });
}

/**
 * The grace period after a statement dated `morning`. A statement balance of zero restores it. If the
 * previous statement was due the day before and is unpaid, the grace period ends that morning.
 */
export function graceAfterStatement(position: Position, balance: Big, morning: string) {
  const { has_grace } = position.cycle;
  if (balance.eq(0)) return { has_grace: position.terms.grace_on_purchases, grace_ends: null };
  const end = graceEndDate(position);
  return { has_grace, grace_ends: end !== null && end <= morning ? end : null };
}
