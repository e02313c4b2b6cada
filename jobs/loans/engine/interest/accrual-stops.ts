import type { Big } from 'big.js';
import type { EventOf } from '../events.ts';
import { releaseSuspendedInterest } from './interest.ts';
import { addAllocationLine, interestOwed, type Position } from '../position.ts';

/**
 * The borrower still owes the accrued interest. If the event reverses it, only the lender's books stop
 * counting it as income.
 */
export function stopAccrual(position: Position, event: EventOf<'accrual_stop'>): void {
  const { id, effective_date, reason, reverses_accrued = false } = event;
  position.stops.add(reason);
  if (!reverses_accrued || position.charged_off_on !== null) return;
  moveOffBooks(position, id, interestOwed(position, effective_date).minus(position.off_books));
}

function moveOffBooks(position: Position, event_id: string, amount: Big): void {
  if (amount.eq(0)) return;
  const before = position.off_books;
  position.off_books = before.plus(amount);
  const line = { event_id, component: 'off_books', rule: 'non_accrual' } as const;
  addAllocationLine(position, line, amount, { before, after: position.off_books });
}

/**
 * Ends one reason for stopping accrual. Interest caught up while the loan is still on non-accrual is owed
 * off the books.
 */
export function startAccrual(position: Position, event: EventOf<'accrual_start'>): void {
  const { id, effective_date: date, reason, catch_up = false } = event;
  if (reason === 'non_accrual') moveOffBooks(position, id, position.off_books.neg());
  if (!position.stops.delete(reason)) return;
  const before = interestOwed(position, date);
  releaseSuspendedInterest(position.meter, date, reason, catch_up);
  if (!position.stops.has('non_accrual')) return;
  moveOffBooks(position, id, interestOwed(position, date).minus(before));
}
