import { z } from 'zod';
import * as documents from '../../sql/documents/documents.ts';
import { requiredFreeText, prose } from '../../sql/types.ts';
import { Conflict, NotFound } from '../errors.ts';
import type { Work } from '../work.ts';

export const Verification = z.object({
  verified_by: requiredFreeText
    .nullish()
    .describe('Who checked the document. Default: the signed-in user.'),
  notes: prose.nullish().describe('The result of the check. Stored as `verification_notes`.'),
});
export const Rejection = z.object({
  reason: prose
    .refine((text) => text.trim() !== '', 'Must not be empty.')
    .describe('Why the document is not accepted. Stored as `rejection_reason`.'),
});

/** The statuses from which each action is allowed. */
const ALLOWED_STATUSES = {
  verify: ['uploaded', 'rejected'],
  reject: ['uploaded', 'verified'],
} as const;

/** Verifies a document. Default for `verified_by`: the actor. */
export async function verifyDocument(
  work: Work,
  id: string,
  { verified_by, notes }: z.output<typeof Verification>,
) {
  await assertReviewable('verify', work, id);
  const by = verified_by ?? work.actor.id ?? 'system';
  await documents.verifyDocument(work.tx, id, by, notes ?? null);
}

export async function rejectDocument(
  work: Work,
  id: string,
  { reason }: z.output<typeof Rejection>,
) {
  await assertReviewable('reject', work, id);
  await documents.rejectDocument(work.tx, id, work.actor.id, reason);
}

async function assertReviewable(what: keyof typeof ALLOWED_STATUSES, work: Work, id: string) {
  const document = await documents.lockDocument(work.tx, id);
  if (document === null) throw new NotFound();
  const { status, is_archived } = document;
  if (is_archived)
    throw new Conflict(`You cannot ${what} an archived document. Unarchive it first.`, 'archived', {
      current_status: status,
    });
  const allowed_actions = Object.entries(ALLOWED_STATUSES).flatMap(([action, from]) =>
    from.some((allowed) => allowed === status) ? [action] : [],
  );
  if (allowed_actions.includes(what)) return;
  throw wrongDocumentStatus(what, status, allowed_actions);
}

export const wrongDocumentStatus = (
  what: string,
  status: string,
  allowed_actions: readonly string[],
) =>
  new Conflict(`You cannot ${what} a document that is ${status}.`, 'invalid_transition', {
    current_status: status,
    allowed_actions,
  });
