import { z } from 'zod';
import { markReviewed, sanctionsHits, type Review } from '../../../sql/borrowers/sanctions.ts';
import { findLocked } from '../../../sql/table.ts';
import { prose } from '../../../sql/types.ts';
import { Conflict, NotFound } from '../../errors.ts';
import type { Work } from '../../work.ts';
import { cancelFollowUpTask, closeReviewTask, openFollowUpTask } from './review-task.ts';

export const HitReview = z.object({
  reason: prose
    .refine((value) => value.trim() !== '', 'Must not be empty.')
    .describe('Why, with the facts that you compared, such as date and place of birth.'),
});
type HitReview = z.output<typeof HitReview>;

/** Decides that the borrower is not the listed person. */
export async function clearHit(work: Work, id: string, { reason }: HitReview) {
  const borrowerId = await review(work, id, { status: 'cleared', reason });
  await cancelFollowUpTask(work, borrowerId);
}

/** Decides that the borrower is the listed person. */
export async function confirmHit(work: Work, id: string, { reason }: HitReview) {
  const borrowerId = await review(work, id, { status: 'confirmed', reason });
  await openFollowUpTask(work, borrowerId);
}

/** A decision can be corrected by the opposite one. Returns the borrower. */
async function review(work: Work, id: string, decision: Omit<Review, 'reviewed_by'>) {
  const hit = await findLocked(work.tx, sanctionsHits, id);
  if (hit === null) throw new NotFound();
  const current_status = hit['status'];
  if (current_status === decision.status) {
    throw alreadyReviewed(decision.status);
  }
  await markReviewed(work.tx, id, { ...decision, reviewed_by: work.actor.id });
  const borrowerId = String(hit['borrower_id']);
  await closeReviewTask(work, borrowerId);
  return borrowerId;
}

export const alreadyReviewed = (current_status: string) =>
  new Conflict(`The possible match is already ${current_status}.`, 'invalid_transition', {
    current_status,
  });
