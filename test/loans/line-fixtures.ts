import { completeTerms, type Terms } from '../../jobs/loans/arithmetic/terms.ts';
import { minimumPaymentAgreement } from '../../jobs/loans/engine/interest/cycles.ts';
import type { LoanEvent } from '../../jobs/loans/engine/events.ts';
import { fold } from '../../jobs/loans/engine/fold.ts';

export const MINIMUM = { percentage: '0.01', floor_amount: '25.00', plus_interest_and_fees: true };

/** A line of credit at 20 percent, opened on January 15 and billed on the 15th. */
export const LINE = completeTerms({
  loan_type: 'line_of_credit',
  interest_rate: '0.2',
  minimum_payment: MINIMUM,
  payment_due_days: 25,
});

export const drawn = (id: string, effective_date: string, amount: string): LoanEvent => ({
  id,
  kind: id === 'd0' ? 'disbursement' : 'draw',
  effective_date,
  amount,
});
export const paid = (id: string, effective_date: string, amount: string): LoanEvent => ({
  id,
  kind: 'payment',
  effective_date,
  amount,
});
export const undone = (id: string, effective_date: string, reverses: string): LoanEvent => ({
  id,
  kind: 'reversal',
  effective_date,
  reverses,
});
export const OPENED = drawn('d0', '2026-01-15', '3650.00');

export const stateOn = (as_of: string, events: readonly LoanEvent[], terms: Terms = LINE) =>
  fold({ terms, schedule: [], events, as_of });

/** The events, plus the events that end each cycle up to a day, as the close records them. */
export function closedThrough(day: string, events: readonly LoanEvent[], terms: Terms = LINE) {
  const all = [...events];
  for (;;) {
    const { cycle } = stateOn(day, all, terms);
    if (cycle === null || cycle.ends > day) return all;
    all.push({ id: `c${cycle.ends}`, ...minimumPaymentAgreement(cycle, terms, cycle.ends) });
  }
}
