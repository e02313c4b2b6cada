import { Invalid } from '../../errors.ts';
import type { Work } from '../../work.ts';
import { fundingDate, lastAccrualChange, resumeAccrual } from '../agreed/resume-accrual.ts';
import type { AccrualStopReason, LoanEvent } from '../engine/events.ts';
import type { OpenLoan } from './open-loan.ts';
import { newEvent, newEvents } from './new-event.ts';

/** Refuses a date in the future or before the loan was funded. */
export function assertInHistory(work: Work, loan: OpenLoan, field: string, on: string) {
  if (on > work.today) throw new Invalid({ [field]: 'Must not be in the future.' });
  const start = fundingDate(loan);
  if (start !== null && on < start) {
    throw new Invalid({ [field]: 'Must not be before the loan was funded.' });
  }
}

/** Throws if the day is outside the loan's history or before the last change for the same reason. */
function assertAfterLastChange(work: Work, loan: OpenLoan, on: string, reason: string) {
  assertInHistory(work, loan, 'effective_date', on);
  const last = lastAccrualChange(loan, reason);
  if (last && on < last.effective_date) {
    throw new Invalid({ effective_date: `Must not be before ${last.effective_date}.` });
  }
}

/** Builds the event that stops accrual from a day on. Each reason stops and starts separately. */
export function stopAccrualFrom(
  work: Work,
  loan: OpenLoan,
  on: string,
  details: { reason: AccrualStopReason; reverses_accrued?: boolean },
): LoanEvent {
  assertAfterLastChange(work, loan, on, details.reason);
  return newEvent({ kind: 'accrual_stop', effective_date: on, ...details });
}

/** Builds the event that resumes accrual from a day on (`resumeAccrual`). */
export function resumeAccrualFrom(
  work: Work,
  loan: OpenLoan,
  on: string,
  details: { reason: AccrualStopReason; catch_up?: boolean },
): LoanEvent[] {
  assertAfterLastChange(work, loan, on, details.reason);
  return newEvents([resumeAccrual(loan, on, details)]);
}
