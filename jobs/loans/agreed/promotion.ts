import type { Promotion } from '../../../sql/loans/products/promotions.ts';
import { addDays } from '../../dates.ts';
import type { EventDraft } from '../engine/events.ts';
import type { LoanState } from '../engine/state.ts';
import type { Agreement } from '../schedule/agreement.ts';
import { nextUnpaidNumber, numberAfterLast } from '../schedule/schedule-basis.ts';
import type { Standing } from './standing.ts';

/** Whether the borrower owes the promotion's interest only if the loan is not repaid by its end. */
export const defersInterest = (type: string) =>
  type === 'deferred_interest' || type === 'same_as_cash';

/** The event with which a promotion starts. `today` is the day on which it is recorded. */
export function startOfPromotion(
  { state }: Pick<Standing, 'state'>,
  { promo_type, promo_rate, start_date, end_date: to }: Promotion,
  today: string,
): EventDraft {
  if (promo_type === 'interest_only') {
    const agreement = interestOnly(state, today, to);
    return { kind: 'schedule_agreed', effective_date: today, agreement };
  }
  if (defersInterest(promo_type))
    return { kind: 'accrual_stop', effective_date: start_date, reason: 'promo' };
  const interest_rate = promo_rate ?? '0';
  return { kind: 'promo', effective_date: start_date, interest_rate, to };
}

/** Installments due by `end` bill interest only. The remaining installments repay the principal. */
function interestOnly(state: LoanState, today: string, end: string): Agreement {
  const from = nextUnpaidNumber(state, today) ?? numberAfterLast(state);
  const ahead = state.installments.filter(({ period_number }) => period_number >= from);
  const during = ahead.filter(({ due_date }) => due_date <= end).length;
  return { rule: 'spread', from, ...(during > 0 && { interest_only: during }) };
}

/**
 * The events with which a promotion ends. A promotional rate ends by itself unless the promotion was
 * broken. Deferred interest becomes due if any debt remains.
 */
export function endOfPromotion(
  { promo_type, promo_rate, event_id, start_date, end_date }: Promotion,
  today: string,
  brokenOn: string | null,
): EventDraft[] {
  if (defersInterest(promo_type)) {
    const effective_date = brokenOn ?? addDays(end_date, 1);
    return [{ kind: 'accrual_start', effective_date, reason: 'promo', catch_up: true }];
  }
  if (brokenOn === null || event_id === null || promo_type === 'interest_only') return [];
  const undo = { kind: 'reversal', effective_date: today, reverses: event_id } as const;
  if (brokenOn <= start_date) return [undo];
  const interest_rate = promo_rate ?? '0';
  const dates = { effective_date: start_date, to: addDays(brokenOn, -1) };
  return [undo, { kind: 'promo', interest_rate, ...dates }];
}
