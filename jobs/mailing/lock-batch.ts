import * as batches from '../../sql/mailing/batches.ts';
import { Conflict, NotFound } from '../errors.ts';
import type { Work } from '../work.ts';

/** A batch without files cannot be delivered again. Cancel it to send its letters in another batch. */
export const FILES_REMOVED =
  'The files of this batch were removed. The letters are still available as documents.';

/** Locks the batch. Throws Conflict if its files do not exist yet or were removed. */
export async function lockBatchWithFiles(work: Work, id: string) {
  const { status, files_removed_at } = await lockBatch(work, id);
  if (status !== 'ready')
    throw new Conflict('The batch has no files yet. Try again when it is ready.', status);
  if (files_removed_at !== null) throw new Conflict(FILES_REMOVED, 'removed');
}

/** Locks the batch until the transaction ends. */
export async function lockBatch({ tx }: Work, id: string) {
  const batch = await batches.lockBatch(tx, id);
  if (batch === null) throw new NotFound();
  return batch;
}
