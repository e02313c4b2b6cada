import { z } from 'zod';
import { markApproved } from '../../../sql/loans/origination/decisions.ts';
import * as loans from '../../../sql/loans/loans.ts';
import { prose } from '../../../sql/types.ts';
import { update } from '../../../sql/write.ts';
import { latest } from '../../dates.ts';
import { Conflict, NotFound } from '../../errors.ts';
import { settingsOf } from '../../users/settings/settings.ts';
import type { Work } from '../../work.ts';
import { changeStatus } from '../history/apply-state-change.ts';
import { assertAllowed } from '../history/statuses.ts';
import { refusalDetails } from '../products/refusals.ts';
import { runComplianceChecks } from './compliance.ts';
import { computeCost, expectedFunding } from './cost.ts';
import { discloseCost } from './disclosure.ts';
import { discloseOpening, isLineOfCredit } from './opening-disclosure.ts';
import { setRescissionEnd } from './rescission.ts';

export const Approval = z.object({
  notes: prose.nullish().describe('Why the loan was approved. Kept in the history of the loan.'),
});

/**
 * The reason why a pending loan cannot be approved, or null. The refusal is returned instead of thrown, so
 * that the compliance run and its webhooks are committed.
 */
export async function findApprovalBlocker(work: Work, loanId: string): Promise<Conflict | null> {
  const loan = await loans.lockLoan(work.tx, loanId);
  if (loan === null) throw new NotFound();
  assertAllowed(loan, 'approve');
  const { compliance } = await settingsOf(work.tx);
  if (!compliance.run_on_approve) return null;
  const { checks } = await runComplianceChecks(work, loanId);
  const failed_checks = checks
    .filter(({ status }) => status === 'fail')
    .map(({ code, message }) => ({ code, message }));
  if (failed_checks.length === 0 || !compliance.hard_enforcement) return null;
  return complianceFailed({ ...refusalDetails(loan), failed_checks });
}

export const complianceFailed = (details: Record<string, unknown>) =>
  new Conflict(
    'The loan fails a compliance check. See failed_checks.',
    'compliance_failed',
    details,
  );

/** Approves a pending loan and discloses its cost. Call `findApprovalBlocker` first. */
export async function approveLoan(work: Work, loanId: string) {
  const loan = await loans.lockLoan(work.tx, loanId);
  if (loan === null) throw new NotFound();
  assertAllowed(loan, 'approve');
  const by = work.actor.type === 'user' ? work.actor.id : null;
  await markApproved(work.tx, loanId, by);
  await setRescissionEnd(work, loan, latest(work.today, loan.origination_date ?? ''));
  const funding = expectedFunding(loan, work.today);
  const cost = computeCost(loan, funding);
  if (isLineOfCredit(loan)) await discloseOpening(work, loan);
  else if (cost === null) await update(work.tx, 'loans', loanId, { apr: null });
  else await discloseCost(work, loan, cost, { isEstimate: true });
  await changeStatus(work, loan, 'approved', 'approve');
}
