import { ZERO } from '../../money.ts';
import { numberOfPayments } from '../arithmetic/due-dates.ts';
import type { LoanEvent } from '../engine/events.ts';
import { fold } from '../engine/fold.ts';
import { type OpenLoan } from '../history/happen.ts';
import { newEvent } from '../history/new-event.ts';
import { reamortize } from '../plans/replan.ts';
import { termsOf } from '../products/terms-of.ts';

/**
 * More money goes out on a loan in service: the event of it, and the plan that repays the greater
 * balance and the fees that are spread over the instalments.
 */
export function fundAgain(loan: OpenLoan, funding: LoanEvent, more_fees = ZERO): LoanEvent[] {
  return [funding, ...planAgain(loan, [funding], funding.effective_date, more_fees)];
}

/**
 * The plan that repays by the same due dates what is owed on a day, with the events that change it. A
 * line whose plan has run out gets a whole new one.
 */
export function planAgain(
  { row, schedule, events }: OpenLoan,
  more: readonly LoanEvent[],
  on: string,
  more_fees = ZERO,
): LoanEvent[] {
  const terms = termsOf(row);
  const trial = fold({ terms, schedule, events: [...events, ...more], as_of: on });
  const isOpen = trial.installments.some(
    ({ status, due_date }) => status !== 'paid' && due_date >= on,
  );
  const rows = reamortize(trial, terms, {
    effective_date: on,
    interest_rate: trial.current_rate,
    more_fees,
    ...(!isOpen && {
      start_date: on,
      number_of_payments: numberOfPayments(terms.payment_frequency, terms.term_months),
    }),
  });
  if (rows.length === 0) return [];
  return [newEvent({ kind: 'schedule_replaced', effective_date: on, schedule: rows })];
}
