import { z } from 'zod';
import * as decisions from '../../../sql/loans/origination/decisions.ts';
import * as loans from '../../../sql/loans/loans.ts';
import { prose, requiredFreeText } from '../../../sql/types.ts';
import { NotFound } from '../../errors.ts';
import type { Work } from '../../work.ts';
import { changeStatus } from '../history/apply-state-change.ts';
import { assertAllowed } from '../history/statuses.ts';
import { recordNotice } from './adverse-action.ts';
import { REASONS_MAX } from './adverse-action-notices.ts';
import { CreditReport } from './credit-report.ts';
import { DENIAL_CODES, type DenialReason } from './denial-reasons.ts';

export const Denial = z.object({
  reasons: z
    .array(z.enum(DENIAL_CODES))
    .max(REASONS_MAX)
    .nullish()
    .describe(
      'The principal reasons for the adverse action notice. Without a specific reason, the notice says how to get the reasons.',
    ),
  reason: requiredFreeText
    .nullish()
    .describe('One of the codes, or free text, which counts as "other".'),
  credit_report: CreditReport.nullish().describe(
    'The consumer report that led to the decision. The notice then names the bureau and the score. Leave it out if no report was used.',
  ),
  notes: prose.nullish().describe('Kept in the history of the loan. Not part of the notice.'),
});
type Denial = z.output<typeof Denial>;

/**
 * Denies a pending loan and sends the adverse action notice. The notice states specific principal reasons.
 * If reasons are missing or not specific, it explains how to get them (12 CFR 1002.9(a)(2)).
 */
export async function denyLoan(work: Work, loanId: string, input: Denial) {
  const loan = await loans.lockLoan(work.tx, loanId);
  if (loan === null) throw new NotFound();
  assertAllowed(loan, 'deny');
  const reasons = reasonsOf(input);
  await decisions.markDenied(work.tx, loanId, reasons);
  await changeStatus(work, loan, 'denied', 'deny', reasons.join(', '));
  await recordNotice(work, loan, {
    kind: 'denial',
    borrower_id: loan.borrower_id,
    reasons,
    credit_report: input.credit_report ?? null,
  });
}

function reasonsOf({ reasons, reason }: Denial): DenialReason[] {
  const codesFromReason = reason ? [DENIAL_CODES.find((code) => code === reason) ?? 'other'] : [];
  return [...new Set([...(reasons ?? []), ...codesFromReason] as DenialReason[])].slice(
    0,
    REASONS_MAX,
  );
}
