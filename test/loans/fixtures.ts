import { buildSchedule } from '../../jobs/loans/arithmetic/amortize.ts';
import { completeTerms, type Terms } from '../../jobs/loans/arithmetic/terms.ts';
import type { LoanEvent } from '../../jobs/loans/engine/events.ts';
import { fold } from '../../jobs/loans/engine/fold.ts';
import type { LoanState } from '../../jobs/loans/engine/state.ts';

/** The loan of the worked examples: 10000.00 at 8.5 percent over 36 months from January 15, 2026. */
export const START = '2026-01-15';

export const SCHEDULE = buildSchedule({
  principal: '10000.00',
  interest_rate: '0.085',
  payment_frequency: 'monthly',
  number_of_payments: 36,
  start_date: START,
});

export const DISBURSED: LoanEvent = {
  id: 'd1',
  kind: 'disbursement',
  effective_date: START,
  amount: '10000.00',
};

export const TERMS = completeTerms({ interest_rate: '0.085', term_months: 36 });

export function payment(id: string, effective_date: string, amount: string, rest = {}): LoanEvent {
  return { id, kind: 'payment', effective_date, amount, ...rest };
}

/** The loan's state on a day, after these events since its disbursement. */
export function stateOn(
  as_of: string,
  events: readonly LoanEvent[],
  terms: Partial<Terms> = {},
): LoanState {
  const all = { ...TERMS, ...terms };
  return fold({ terms: all, schedule: SCHEDULE, events: [DISBURSED, ...events], as_of });
}
