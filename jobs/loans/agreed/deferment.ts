import type { OpenDeferment } from '../../../sql/loans/workouts/deferments.ts';
import { addDays } from '../../dates.ts';
import { Invalid } from '../../errors.ts';
import { parseMoney, ZERO } from '../../money.ts';
import { dueDates } from '../arithmetic/due-dates.ts';
import { assertHasSchedule, refusalDetails } from '../products/refusals.ts';
import type { EventDraft } from '../engine/events.ts';
import type { Agreement } from '../schedule/agreement.ts';
import { nextUnpaidNumber } from '../schedule/schedule-basis.ts';
import { readTerms } from '../products/loan-terms.ts';
import { isInService, type Standing } from './standing.ts';
import { loanAccelerated } from './modification.ts';

type DefermentRequest = Pick<
  OpenDeferment,
  'deferment_type' | 'periods' | 'start_date' | 'extend_maturity' | 'start_installment'
>;
type Deferred = { agreement: Agreement; resumes_on: string; first_number: number };

/**
 * The schedule with some payments deferred. With `extend_maturity`, the due dates and the maturity date
 * move by that many periods. Otherwise fewer payments repay the loan by the same maturity date. For
 * `principal_only`, the borrower still pays the interest of the deferred periods.
 */
export function buildDeferredSchedule(loan: Standing, request: DefermentRequest): Deferred {
  const { row, state } = loan;
  assertHasSchedule(row);
  if (state.is_accelerated) {
    throw loanAccelerated(refusalDetails(row));
  }
  const { first_number, first_due } = firstDeferred(loan, request);
  const terms = readTerms(row);
  const { payment_frequency: frequency, payment_day } = terms;
  const { periods } = request;
  const by = { periods, payment_day };
  const from = first_number;
  const resumes_on = dueDates(frequency, first_due, periods + 1, payment_day)[periods] ?? first_due;
  if (request.deferment_type === 'principal_only') {
    const last = dueDates(frequency, first_due, periods, payment_day).at(-1) ?? first_due;
    const agreement = { rule: 'moved', from, by, asks_interest: true } as const;
    return { agreement, resumes_on: addDays(last, 1), first_number };
  }
  if (request.extend_maturity)
    return { agreement: { rule: 'moved', from, by }, resumes_on, first_number };
  const count =
    state.installments.filter(({ period_number }) => period_number >= from).length - periods;
  if (count < 1) throw new Invalid({ periods: 'Leaves no payment before the maturity date.' });
  if (from !== nextUnpaidNumber(state, request.start_date))
    throw new Invalid({
      start_installment: 'Must be the next due date if the maturity date stays the same.',
    });
  const dates = { first: resumes_on, count, payment_day };
  return { agreement: { rule: 'spread', from, dates }, resumes_on, first_number };
}

const STOP = { reason: 'deferment' } as const;

/** The events with which a deferment starts, dated its first day, without its fee. */
export function startOfDeferment(loan: Standing, deferment: OpenDeferment) {
  const { start_date: effective_date } = deferment;
  const { agreement, resumes_on, first_number } = buildDeferredSchedule(loan, deferment);
  // A principal-only deferment skips nothing: each period still has an interest installment.
  const isSkipping = deferment.deferment_type !== 'principal_only';
  const defers = { from_number: first_number, periods: deferment.periods, until: resumes_on };
  const events: EventDraft[] = [
    { kind: 'schedule_agreed', effective_date, agreement, ...(isSkipping && { defers }) },
  ];
  if (deferment.interest_treatment === 'waive')
    events.push({ kind: 'accrual_stop', effective_date, ...STOP });
  return { events, end_date: addDays(resumes_on, -1), first_number };
}

/** The fee of a deferment, or null. */
export const defermentFee = ({ fee_amount: amount, start_date: on }: OpenDeferment) =>
  parseMoney(amount).gt(ZERO) ? ({ fee_type: 'other', amount, on } as const) : null;

/** The events with which a deferment ends, on the day on which payments resume. */
export function endOfDeferment(
  loan: Standing,
  { interest_treatment }: OpenDeferment,
  effective_date: string,
): EventDraft[] {
  if (interest_treatment === 'waive') return [{ kind: 'accrual_start', effective_date, ...STOP }];
  const isCapitalized = interest_treatment === 'capitalize_at_end' && isInService(loan);
  return isCapitalized ? capitalized(loan, effective_date) : [];
}

/**
 * Capitalizes the interest accrued during the deferment and spreads the new principal over the remaining
 * schedule.
 */
function capitalized({ state }: Standing, effective_date: string): EventDraft[] {
  const capitalization = { kind: 'capitalization', effective_date, interest: 'all' } as const;
  const from = nextUnpaidNumber(state, effective_date);
  if (from === null) return [capitalization];
  const agreement = { rule: 'spread', from, accrues_from: effective_date } as const;
  return [capitalization, { kind: 'schedule_agreed', effective_date, agreement }];
}

function firstDeferred({ state }: Standing, { start_installment, start_date }: DefermentRequest) {
  const number = start_installment ?? nextUnpaidNumber(state, start_date);
  const first = state.installments.find(({ period_number }) => period_number === number);
  if (first === undefined || first.status === 'paid') {
    const field = start_installment === null ? 'start_date' : 'start_installment';
    throw new Invalid({ [field]: 'The loan has no unpaid installments.' });
  }
  return { first_number: first.period_number, first_due: first.due_date };
}
