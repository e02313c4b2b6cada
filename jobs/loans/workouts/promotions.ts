import { Big } from 'big.js';
import * as promotions from '../../../sql/loans/products/promotions.ts';
import { money, sum, toCents } from '../../money.ts';
import type { Work } from '../../work.ts';
import { endOfPromotion, startOfPromotion } from '../agreed/promotion.ts';
import type { LoanState } from '../engine/state.ts';
import { openLoan, type OpenLoan } from '../history/open-loan.ts';
import { recordEvents } from '../history/record-events.ts';
import { newEvents } from '../history/new-event.ts';

export const PROMO_TYPES = [
  'reduced_rate',
  'zero_interest',
  'deferred_interest',
  'interest_only',
  'same_as_cash',
] as const;

/** Starts a promotion on its first day: immediately, or when close of business reaches that day. */
export async function startPromotion(work: Work, loan: OpenLoan, promotion: promotions.Promotion) {
  const event = newEvents([startOfPromotion(loan, promotion, work.today)]);
  // First, because what a loan will owe includes the promotions that have not started yet.
  await promotions.markPromotionStarted(work.tx, promotion.id, event[0]?.id ?? promotion.id);
  await recordEvents(work, loan, event, { hasNewAgreement: true });
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
  const ending = newEvents(endOfPromotion(promotion, work.today, brokenOn));
  await promotions.markPromotionEnded(work.tx, id, brokenOn);
  if (ending.length > 0) await recordEvents(work, loan, ending);
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
