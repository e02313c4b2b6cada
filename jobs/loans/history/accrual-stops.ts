import { Invalid } from '../../errors.ts';
import type { Work } from '../../work.ts';
import { eventsInForce } from '../engine/event-order.ts';
import { type LoanEvent } from '../engine/events.ts';
import type { OpenLoan } from './open-loan.ts';
import { newEvent } from './new-event.ts';

const FUNDINGS: readonly string[] = ['disbursement', 'draw', 'boarding'];

/** The first funding or boarding date. Null before any funding. */
export function fundingDate({ events, state }: Pick<OpenLoan, 'events' | 'state'>): string | null {
  const first = eventsInForce(events, state.as_of).find(({ kind }) => FUNDINGS.includes(kind));
  return first?.effective_date ?? null;
}

/** Refuses a date in the future or before the loan was funded. */
export function assertInHistory(work: Work, loan: OpenLoan, field: string, on: string) {
  if (on > work.today) throw new Invalid({ [field]: 'Must not be in the future.' });
  const start = fundingDate(loan);
  if (start !== null && on < start) {
    throw new Invalid({ [field]: 'Must not be before the loan was funded.' });
  }
}

/** The last stop or start with this reason. Throws if `on` is before it. */
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

/** Builds the event that stops accrual from a day on. Each reason stops and starts separately. */
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
 * Builds the event that resumes accrual. If the stop is on the same day, reverses the stop instead. The
 * order of a day puts starts before stops, so that one stop can follow another on the same day.
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
