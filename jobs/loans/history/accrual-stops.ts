import { Invalid } from '../../errors.ts';
import type { Work } from '../../work.ts';
import { eventsInForce } from '../engine/event-order.ts';
import { type LoanEvent } from '../engine/events.ts';
import { type OpenLoan } from './record-events.ts';
import { newEvent } from './new-event.ts';

const FUNDINGS: readonly string[] = ['disbursement', 'draw', 'boarding'];

/** The day from which a loan has a history here; null until money has gone out. */
export function fundingDate({ events, state }: Pick<OpenLoan, 'events' | 'state'>): string | null {
  const first = eventsInForce(events, state.as_of).find(({ kind }) => FUNDINGS.includes(kind));
  return first?.effective_date ?? null;
}

/** A day of the loan's history to which something may still be dated: neither to come nor before it. */
export function assertInHistory(work: Work, loan: OpenLoan, field: string, on: string) {
  if (on > work.today) throw new Invalid({ [field]: 'Must not be in the future.' });
  const start = fundingDate(loan);
  if (start !== null && on < start) {
    throw new Invalid({ [field]: 'Must not be before the loan was funded.' });
  }
}

/** The last change of one reason for accrual to rest; nothing may be dated before it. */
function lastChange(work: Work, loan: OpenLoan, on: string, reason: string) {
  assertInHistory(work, loan, 'effective_date', on);
  const last = eventsInForce(loan.events, loan.state.as_of).findLast(
    (event) =>
      (event.kind === 'accrual_stop' || event.kind === 'accrual_start') && event.reason === reason,
  );
  if (last && on < last.effective_date) {
    throw new Invalid({ effective_date: `Must not be before ${last.effective_date}.` });
  }
  return last;
}

/** Accrual rests from a day on, for a reason of its own. */
export function stopAccrualFrom(
  work: Work,
  loan: OpenLoan,
  on: string,
  details: { reason: string } & Record<string, unknown>,
): LoanEvent {
  lastChange(work, loan, on, details.reason);
  return newEvent({ kind: 'accrual_stop', effective_date: on, ...details });
}

/**
 * The rest ends on a day. On the day that it began it is undone instead: a day's ends come before
 * its beginnings, so that a loan can go from one rest into the next.
 */
export function resumeAccrualFrom(
  work: Work,
  loan: OpenLoan,
  on: string,
  details: { reason: string } & Record<string, unknown>,
): LoanEvent {
  const last = lastChange(work, loan, on, details.reason);
  if (last?.kind === 'accrual_stop' && last.effective_date === on) {
    return newEvent({ kind: 'reversal', effective_date: work.today, reverses: last.id });
  }
  return newEvent({ kind: 'accrual_start', effective_date: on, ...details });
}
