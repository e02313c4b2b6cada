import { z } from 'zod';
import { redactionFacts, redact } from '../../../sql/borrowers/redaction.ts';
import { requiredText } from '../../../sql/types.ts';
import { recordAudit } from '../../audit.ts';
import { addMonths } from '../../dates.ts';
import { Conflict, Invalid } from '../../errors.ts';
import { enqueue } from '../../job.ts';
import { settingsOf } from '../../users/settings/settings.ts';
import type { Work } from '../../work.ts';
import { removeRedactedFiles } from './remove-redacted-files.job.ts';

export const Redaction = z.object({
  confirm: requiredText.describe(
    'The last name of the borrower, or the number of one of the loans.',
  ),
});

/**
 * Permanently removes a borrower's personal data once the retention period of all loans is over: names,
 * contacts, numbers, free text and files. The books stay. The audit trail records who did it.
 */
export async function redactBorrower(
  work: Work,
  id: string,
  { confirm }: z.output<typeof Redaction>,
) {
  const { tx, tenant_id, actor } = work;
  const now = await redactionFacts(tx, id);
  assertConfirmed(now, confirm);
  await assertRetentionEnded(work, now);
  if (actor.id === null) throw new Error('Somebody redacts a borrower, and no job does.');
  await redact(tx, id, actor.id);
  await recordAudit(work, { type: 'borrowers', id, borrower_id: id }, 'redact', {});
  await enqueue(tx, removeRedactedFiles, { tenant_id, borrower_id: id });
}

type RedactionFacts = Awaited<ReturnType<typeof redactionFacts>>;

/**
 * A redaction is irreversible, so the request must repeat the last name or a loan number to detect a wrong
 * id.
 */
function assertConfirmed(
  { is_redacted, last_name, loan_numbers }: RedactionFacts,
  confirm: string,
) {
  if (is_redacted) throw alreadyRedacted();
  const repeated = confirm.trim().toLowerCase();
  if ([last_name, ...loan_numbers].some((name) => name.trim().toLowerCase() === repeated)) return;
  throw new Invalid({ confirm: "Must be the borrower's last name or one of their loan numbers." });
}

async function assertRetentionEnded({ tx, today }: Work, now: RedactionFacts) {
  assertNotHeld(now);
  assertNotInUse(now);
  const { borrower_years } = (await settingsOf(tx)).retention;
  const earliest_date = addMonths(now.last_day, 12 * borrower_years);
  if (today < earliest_date) throw mustBeKept(earliest_date);
}

function assertNotHeld({
  is_on_legal_hold,
  legal_hold_reason: reason,
  held_loan_ids,
}: RedactionFacts) {
  if (is_on_legal_hold) throw onLegalHold(reason);
  if (held_loan_ids.length === 0) return;
  const message = "A co-borrower on this borrower's loans is on legal hold. Lift that hold first.";
  throw new Conflict(message, 'legal_hold', { loan_ids: held_loan_ids });
}

function assertNotInUse(now: RedactionFacts) {
  const inUse = (message: string, details?: Record<string, unknown>) =>
    new Conflict(message, 'in_use', details);
  const { open_loan_ids, shared_loan_ids, waiting_approval_ids: approval_ids } = now;
  if (open_loan_ids.length > 0)
    throw inUse('The borrower has an open loan, or a loan that still holds money.', {
      loan_ids: open_loan_ids,
    });
  if (shared_loan_ids.length > 0)
    throw inUse('This person is a co-borrower. Redact the borrower of those loans first.', {
      loan_ids: shared_loan_ids,
    });
  if (approval_ids.length > 0)
    throw inUse('A request about this borrower is waiting for approval. Decide it first.', {
      approval_ids,
    });
  if (now.is_staff) throw inUse('The borrower also has a staff role. Remove that role first.');
}

export const alreadyRedacted = () => new Conflict('The borrower is already redacted.', 'redacted');

export const mustBeKept = (earliest_date: string) =>
  new Conflict(`These records must be kept until ${earliest_date}.`, 'retention', {
    earliest_date,
  });

export const onLegalHold = (reason: unknown) =>
  new Conflict('The borrower is on legal hold. Lift the hold first.', 'legal_hold', {
    reason,
  });
