import { z } from 'zod';
import * as decisions from '../../../sql/loans/decisions.ts';
import * as loans from '../../../sql/loans/loans.ts';
import { prose } from '../../../sql/types.ts';
import { NotFound } from '../../errors.ts';
import type { Work } from '../../work.ts';
import { changeStatus } from '../history/apply-state-change.ts';
import { assertAllowed } from '../history/statuses.ts';

export const CANCEL_REASONS = [
  'borrower_withdrew',
  'expired',
  'duplicate',
  'fraud',
  'other',
] as const;
export const Cancellation = z.object({
  reason: z
    .enum(CANCEL_REASONS)
    .nullish()
    .describe('Why the loan is canceled. `loan.status_changed` contains it.'),
  notes: prose.nullish().describe('Kept in the history of the loan.'),
});

/** Cancels a loan before any money has gone out. */
export async function cancelLoan(work: Work, loanId: string, input: z.output<typeof Cancellation>) {
  const loan = await loans.lockLoan(work.tx, loanId);
  if (loan === null) throw new NotFound();
  assertAllowed(loan, 'cancel');
  await decisions.markCanceled(work.tx, loanId, input.reason ?? null);
  await changeStatus(work, loan, 'canceled', 'cancel', input.reason);
}
