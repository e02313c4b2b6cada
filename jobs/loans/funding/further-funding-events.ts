import { money, ZERO } from '../../money.ts';
import { numberOfPayments, onePeriodAfter } from '../arithmetic/due-dates.ts';
import { isBilledByCycle } from '../arithmetic/terms.ts';
import type { LoanEvent } from '../engine/events.ts';
import { fold } from '../engine/fold.ts';
import type { OpenLoan } from '../history/open-loan.ts';
import { newEvent } from '../history/new-event.ts';
import { nextUnpaidNumber, numberAfterLast } from '../schedule/schedule-basis.ts';
import { readTerms } from '../products/loan-terms.ts';

/**
 * The funding event of a loan in service, and the schedule that repays the larger balance and any fees
 * spread over the installments.
 */
export function furtherFundingEvents(
  loan: OpenLoan,
  funding: LoanEvent,
  more_fees = ZERO,
): LoanEvent[] {
  return [funding, ...rescheduleEvents(loan, [funding], funding.effective_date, more_fees)];
}

/**
 * The schedule that repays the debt of a day, including the effect of the events `more`, by the same due
 * dates. A line whose schedule has ended gets a complete new one. A line billed by cycle has no schedule.
 */
export function rescheduleEvents(
  { row, schedule, events }: OpenLoan,
  more: readonly LoanEvent[],
  on: string,
  more_fees = ZERO,
): LoanEvent[] {
  const terms = readTerms(row);
  if (isBilledByCycle(terms)) return [];
  const trial = fold({ terms, schedule, events: [...events, ...more], as_of: on });
  if (trial.principal_balance === '0.00') return [];
  const from = nextUnpaidNumber(trial, on);
  const agreement = {
    rule: 'spread',
    from: from ?? numberAfterLast(trial),
    ...(from === null && fullScheduleDates(terms, on)),
    ...(more_fees.gt(ZERO) && { more_fees: money(more_fees) }),
  } as const;
  return [newEvent({ kind: 'schedule_agreed', effective_date: on, agreement })];
}

function fullScheduleDates(terms: ReturnType<typeof readTerms>, on: string) {
  const { payment_frequency: frequency, term_months, payment_day } = terms;
  const first = onePeriodAfter(frequency, on, term_months, payment_day);
  const count = numberOfPayments(frequency, term_months);
  return { dates: { first, count, payment_day }, accrues_from: on };
}
