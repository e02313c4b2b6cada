import { z } from 'zod';
import * as decisions from '../../../sql/loans/origination/decisions.ts';
import * as loans from '../../../sql/loans/loans.ts';
import { prose } from '../../../sql/types.ts';
import { addDays } from '../../dates.ts';
import { NotFound } from '../../errors.ts';
import type { Work } from '../../work.ts';
import { changeStatus } from '../history/apply-state-change.ts';
import { assertAllowed } from '../history/statuses.ts';
import { createTask, NOTICE_DAYS, recordNotice } from './adverse-action.ts';

export const CANCEL_REASONS = [
  'borrower_withdrew',
  'expired',
  'duplicate',
  'fraud',
  'other',
] as const;
type CancelReason = (typeof CANCEL_REASONS)[number];
export const Cancellation = z.object({
  reason: z
    .enum(CANCEL_REASONS)
    .nullish()
    .describe(
      'Why the loan is canceled. `loan.status_changed` contains it. With `fraud`, the applicant gets an adverse action notice. Without a reason, with `other`, or with `expired` for a pending loan, a task asks whether the applicant needs one.',
    ),
  notes: prose.nullish().describe('Kept in the history of the loan.'),
});

/** Cancels a loan before any money has gone out. */
export async function cancelLoan(work: Work, loanId: string, input: z.output<typeof Cancellation>) {
  const loan = await loans.lockLoan(work.tx, loanId);
  if (loan === null) throw new NotFound();
  assertAllowed(loan, 'cancel');
  await decisions.markCanceled(work.tx, loanId, input.reason ?? null);
  await changeStatus(work, loan, 'canceled', 'cancel', input.reason);
  await notifyOfRefusal(work, loan, input.reason ?? null);
}

/**
 * The applicant of a loan that the lender refuses by canceling it must get a notice (12 CFR 1002.2(c)(1)(i),
 * 1002.9(a)(1)). An applicant who withdrew, or did not accept an approved loan, needs none (official commentary
 * on 12 CFR 1002.9(a)(1) and (e)). If the reason leaves it open, a task asks staff.
 */
async function notifyOfRefusal(work: Work, loan: loans.RawLoan, reason: CancelReason | null) {
  const { id, borrower_id, loan_number } = loan;
  if (reason === 'fraud') {
    const denial = { kind: 'denial', borrower_id, reasons: [], credit_report: null } as const;
    await recordNotice(work, loan, denial);
    return;
  }
  const isWithdrawn = reason === 'borrower_withdrew' || reason === 'duplicate';
  if (isWithdrawn || (reason === 'expired' && loan.status === 'approved')) return;
  await createTask(work, {
    id,
    loan_id: id,
    borrower_id,
    related_type: 'loan',
    title: `Decide whether the applicant of ${loan_number} needs an adverse action notice`,
    due_date: addDays(work.today, NOTICE_DAYS),
  });
}
