import * as batches from '../../sql/mailing/batches.ts';
import { Conflict, NotFound } from '../errors.ts';
import type { Work } from '../work.ts';

/** After that nothing is made of it: who wants the letters posted cancels it. */
export const FILES_REMOVED = 'Its files were removed; the letters are among the documents.';

/** Locks the batch; refuses where it has no files, or has them no more. */
export async function lockBatchWithFiles(work: Work, id: string) {
  const { status, files_removed_at } = await lockBatch(work, id);
  if (status !== 'ready') throw new Conflict('It has no files to fetch.', status);
  if (files_removed_at !== null) throw new Conflict(FILES_REMOVED, 'removed');
}

/** The batch, which nobody changes until this transaction has ended. */
export async function lockBatch({ tx }: Work, id: string) {
  const batch = await batches.lock(tx, id);
  if (batch === null) throw new NotFound();
  return batch;
}
