import { z } from 'zod';
import * as loans from '../../sql/loans/loans.ts';
import { prose } from '../../sql/types.ts';
import { Conflict, NotFound } from '../errors.ts';
import { settingsOf } from '../users/settings.ts';
import { emit } from '../webhooks/emit.ts';
import type { Work } from '../work.ts';
import { changeStatus } from './changes.ts';
import { runComplianceChecks } from './compliance.ts';
import { assertAllowed } from './statuses.ts';

export const Approval = z.object({ notes: prose.nullish() });

/**
 * Approves a pending loan. The compliance checks run first; a failed one refuses where the tenant
 * enforces them hard, and is told to subscribers either way.
 */
export async function approve(work: Work, loanId: string, _input: z.output<typeof Approval>) {
  const loan = await loans.lock(work.tx, loanId);
  if (loan === null) throw new NotFound();
  assertAllowed(loan.status, 'approve');
  const { compliance } = await settingsOf(work.tx);
  if (compliance.run_on_approve) {
    const run = await runComplianceChecks(work, loanId);
    const failed = run.checks
      .filter(({ status }) => status === 'fail')
      .map(({ code, message }) => ({ code, message }));
    if (failed.length > 0 && compliance.hard_enforcement) {
      throw new Conflict('The loan fails a compliance check.', 'compliance_failed', {
        current_status: loan.status,
        failed_checks: failed,
      });
    }
    if (failed.length > 0) {
      await emit(work, 'compliance.failed', {
        loan_id: loanId,
        failed_checks: failed,
        enforcement: 'soft',
      });
    }
  }
  await loans.approve(work.tx, loanId, work.actor.type === 'user' ? work.actor.id : null);
  await changeStatus(work, loan, 'approved', 'approve');
}
