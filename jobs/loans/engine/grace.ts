import type { Big } from 'big.js';
import { addDays } from '../../dates.ts';
import { excessOver, isZero, min, minus, ZERO } from '../../money.ts';
import type { Position } from './position.ts';

/**
 * The grace of a line whose product grants it (`grace_on_purchases`): what is drawn bears no interest as long
 * as the balance of each statement is paid in full by its due date. Who pays less pays interest on what is
 * left from the day after that date on, and never for the days before it (12 CFR 1026.54(a)).
 */

/** The part of the principal that earns interest. */
export const interestBearingPrincipal = ({ principal, cycle }: Position): Big =>
  minus(principal, cycle.interest_free);

/** What is drawn within the grace bears no interest. */
export function drawInGrace({ cycle }: Position, amount: Big): void {
  if (cycle.has_grace) cycle.interest_free = cycle.interest_free.plus(amount);
}

/** What repays principal repays first what bears interest. */
export function capInterestFreeBalance({ cycle, principal }: Position): void {
  if (!isZero(cycle.interest_free)) cycle.interest_free = min(cycle.interest_free, principal);
}

/** Money, or a credit, for the statement's balance. Whoever has paid all of it in time has the grace again. */
export function payStatement({ cycle, terms }: Position, amount: Big, date: string): void {
  cycle.statement_remainder = excessOver(cycle.statement_remainder, amount);
  const isInTime = cycle.due_date !== null && date <= cycle.due_date;
  if (terms.grace_on_purchases && isInTime && cycle.statement_remainder.eq(0))
    cycle.has_grace = true;
}

/** The day on which the grace is over, unless the statement's balance is paid before; null without one. */
export function graceEndDate({ cycle }: Position): string | null {
  const { due_date, has_grace, statement_remainder, grace_ends } = cycle;
  if (!has_grace || grace_ends !== null) return grace_ends;
  return due_date !== null && statement_remainder.gt(0) ? addDays(due_date, 1) : null;
}

/** Takes the grace away where its end has come. */
export function endGrace(position: Position, date: string): void {
  const end = graceEndDate(position);
  if (end === null || end > date) return;
  Object.assign(position.cycle, { has_grace: false, interest_free: ZERO, grace_ends: null });
}

/**
 * What becomes of the grace when a statement is made on a morning: one of nothing is paid, and the grace is
 * there again. Where the statement before was due the day before and is not paid, it is over that morning.
 */
export function graceAfterStatement(position: Position, balance: Big, morning: string) {
  const { has_grace } = position.cycle;
  if (balance.eq(0)) return { has_grace: position.terms.grace_on_purchases, grace_ends: null };
  const end = graceEndDate(position);
  return { has_grace, grace_ends: end !== null && end <= morning ? end : null };
}
