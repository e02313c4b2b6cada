import { z } from 'zod';
import * as documents from '../../sql/documents/documents.ts';
import { prose, words } from '../../sql/types.ts';
import { Conflict, NotFound } from '../errors.ts';
import type { Work } from '../work.ts';

export const Verification = z.object({ verified_by: words.nullish(), notes: prose.nullish() });
export const Rejection = z.object({
  reason: prose.refine((text) => text.trim() !== '', 'Must not be empty.'),
});

/** Confirms the document; by whoever asks, unless another name is given. */
export async function verify(
  work: Work,
  id: string,
  { verified_by, notes }: z.output<typeof Verification>,
) {
  await assertStatus(work, id, 'verify', ['uploaded', 'rejected']);
  const by = verified_by ?? work.actor.id ?? 'system';
  await documents.verify(work.tx, id, by, notes ?? null);
}

export async function reject(work: Work, id: string, { reason }: z.output<typeof Rejection>) {
  await assertStatus(work, id, 'reject', ['uploaded', 'verified']);
  await documents.reject(work.tx, id, work.actor.id, reason);
}

async function assertStatus(work: Work, id: string, what: string, from: readonly string[]) {
  const status = await documents.lock(work.tx, id);
  if (status === null) throw new NotFound();
  if (from.includes(status)) return;
  throw new Conflict(`Cannot ${what} a document that is ${status}.`, 'invalid_transition', {
    current_status: status,
  });
}
