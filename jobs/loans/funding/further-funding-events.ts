import { money, ZERO } from '../../money.ts';
import { numberOfPayments, onePeriodAfter } from '../arithmetic/due-dates.ts';
import { isBilledByCycle } from '../arithmetic/terms.ts';
import type { LoanEvent } from '../engine/events.ts';
import { fold } from '../engine/fold.ts';
import { type OpenLoan } from '../history/record-events.ts';
import { newEvent } from '../history/new-event.ts';
import { nextUnpaidNumber, numberAfterLast } from '../schedule/schedule-basis.ts';
import { readTerms } from '../products/loan-terms.ts';

/**
 * More money goes out on a loan in service: the event of it, and the plan that repays the greater
 * balance and the fees that are spread over the instalments.
 */
export function furtherFundingEvents(
  loan: OpenLoan,
  funding: LoanEvent,
  more_fees = ZERO,
): LoanEvent[] {
  return [funding, ...rescheduleEvents(loan, [funding], funding.effective_date, more_fees)];
}

/**
 * The plan that repays by the same due dates what is owed on a day, with the events that change it. A
 * line whose plan has run out gets a whole new one; one that is billed by cycle has no plan.
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
    ...(from === null && wholePlan(terms, on)),
    ...(more_fees.gt(ZERO) && { more_fees: money(more_fees) }),
  } as const;
  return [newEvent({ kind: 'schedule_agreed', effective_date: on, agreement })];
}

function wholePlan(terms: ReturnType<typeof readTerms>, on: string) {
  const { payment_frequency: frequency, term_months, payment_day } = terms;
  const first = onePeriodAfter(frequency, on, term_months, payment_day);
  const count = numberOfPayments(frequency, term_months);
  return { dates: { first, count, payment_day }, accrues_from: on };
}
