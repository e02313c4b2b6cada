import { Big } from 'big.js';
import * as promotions from '../../../sql/loans/promotions.ts';
import { addDays } from '../../dates.ts';
import { money, sum, toCents } from '../../money.ts';
import type { Work } from '../../work.ts';
import type { LoanEvent } from '../engine/events.ts';
import type { LoanState } from '../engine/state.ts';
import { openLoan, type OpenLoan } from '../history/open-loan.ts';
import { recordEvents } from '../history/record-events.ts';
import { newEvent } from '../history/new-event.ts';
import type { Agreement } from '../schedule/agreement.ts';
import { nextUnpaidNumber, numberAfterLast } from '../schedule/schedule-basis.ts';
import { replaceSchedule } from './reschedule.ts';

export const PROMO_TYPES = [
  'reduced_rate',
  'zero_interest',
  'deferred_interest',
  'interest_only',
  'same_as_cash',
] as const;

/** Whether the borrower owes the promotion's interest only if the loan is not repaid by its end. */
export const defersInterest = (type: string) =>
  type === 'deferred_interest' || type === 'same_as_cash';

/** Starts a promotion on its first day: immediately, or when close of business reaches that day. */
export async function startPromotion(work: Work, loan: OpenLoan, promotion: promotions.Promotion) {
  const { id, promo_type, promo_rate, start_date, end_date } = promotion;
  if (promo_type === 'interest_only') {
    await replaceSchedule(work, loan, interestOnly(work, loan, end_date));
    return promotions.markPromotionStarted(work.tx, id, id);
  }
  const event = defersInterest(promo_type)
    ? newEvent({ kind: 'accrual_stop', effective_date: start_date, reason: 'promo' })
    : newEvent({
        kind: 'promo',
        effective_date: start_date,
        interest_rate: promo_rate ?? '0',
        to: end_date,
      });
  await recordEvents(work, loan, [event]);
  await promotions.markPromotionStarted(work.tx, id, event.id);
}

/** Installments due by `end` bill interest only. The remaining installments repay the principal. */
function interestOnly(work: Work, { state }: OpenLoan, end: string): Agreement {
  const from = nextUnpaidNumber(state, work.today) ?? numberAfterLast(state);
  const ahead = state.installments.filter(({ period_number }) => period_number >= from);
  const during = ahead.filter(({ due_date }) => due_date <= end).length;
  return { rule: 'spread', from, ...(during > 0 && { interest_only: during }) };
}

/**
 * Starts a promotion on its first day, ends it after its last day, or ends it early if the borrower broke
 * its conditions. Close of business calls this.
 */
export async function advancePromotion(work: Work, id: string, loanId: string, isBroken: boolean) {
  const loan = await openLoan(work, loanId);
  const promotion = await promotions.readPromotion(work.tx, id);
  if (promotion.is_over) return;
  if (loan.row.status !== 'active') {
    await promotions.markPromotionEnded(work.tx, id, null);
    return;
  }
  if (promotion.event_id === null) {
    await startPromotion(work, loan, promotion);
    return;
  }
  const brokenOn = isBroken && promotion.end_date >= work.today ? work.today : null;
  const ending = endingOf(work, promotion, brokenOn);
  if (ending.length > 0) await recordEvents(work, loan, ending);
  await promotions.markPromotionEnded(work.tx, id, brokenOn);
}

/**
 * A promotional rate ends by itself unless the promotion was broken. Deferred interest becomes due if any
 * debt remains.
 */
function endingOf(
  { today }: Work,
  { promo_type, promo_rate, event_id, start_date, end_date }: promotions.Promotion,
  brokenOn: string | null,
): LoanEvent[] {
  const on = brokenOn ?? addDays(end_date, 1);
  if (defersInterest(promo_type)) {
    return [
      newEvent({ kind: 'accrual_start', effective_date: on, reason: 'promo', catch_up: true }),
    ];
  }
  if (brokenOn === null || event_id === null || promo_type === 'interest_only') return [];
  const undo = newEvent({ kind: 'reversal', effective_date: today, reverses: event_id });
  if (brokenOn <= start_date) return [undo];
  const interest_rate = promo_rate ?? '0';
  const dates = { effective_date: start_date, to: addDays(brokenOn, -1) };
  return [undo, newEvent({ kind: 'promo', interest_rate, ...dates })];
}

/**
 * The interest deferred since the promotion began. It becomes due if the loan is not repaid by
 * the promotion's end.
 */
export function deferredInterest(state: LoanState, from: string): string {
  const resting = state.interest_segments.filter(
    ({ stops = [], ...segment }) =>
      segment.from >= from && stops.length > 0 && stops.every((reason) => reason === 'promo'),
  );
  return money(toCents(sum(resting.map(({ amount }) => new Big(amount)))));
}
