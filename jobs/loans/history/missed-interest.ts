import * as accruals from '../../../sql/loans/accruals.ts';
import type { Work } from '../../work.ts';
import { fold } from '../engine/fold.ts';
import { readTerms } from '../products/loan-terms.ts';
import { adjustInterest, earnedInterest } from './recording/adjust-interest.ts';
import { openLoan } from './open-loan.ts';
import { recordEvents } from './record-events.ts';

/**
 * Posts interest that the daily accrual skipped because of an error. Refolds the loan, which repairs its
 * checkpoint, then posts the missing amount as one adjustment.
 */
export async function postMissedInterest(work: Work, loanId: string) {
  await recordEvents(work, await openLoan(work, loanId), []);
  const { row, schedule, events } = await openLoan(work, loanId);
  const state = fold({ terms: readTerms(row), schedule, events, as_of: row.posted_until });
  const missing = earnedInterest(state, events).minus(await accruals.sumAccruals(work.tx, loanId));
  await adjustInterest(work, row, missing, null);
}
