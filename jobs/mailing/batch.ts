import * as batches from '../../sql/mailing/batches.ts';
import * as batchFiles from '../../sql/mailing/files.ts';
import * as letters from '../../sql/mailing/letters.ts';
import { date } from '../../sql/types.ts';
import { recordAudit } from '../audit.ts';
import { Conflict, Invalid } from '../errors.ts';
import { enqueueAll } from '../job.ts';
import { settingsOf } from '../users/settings/settings.ts';
import type { Work } from '../work.ts';
import { finishMailBatch } from './finish-mail-batch.job.ts';
import { recheckWaitingLetters } from './recheck-letters.ts';
import { lockBatchWithFiles, lockBatch, FILES_REMOVED } from './lock-batch.ts';
import { mergeLetters } from './merge-letters.job.ts';

/**
 * Limits per file. Making one takes about 15 seconds and 200 MB of memory. A large logo reduces the number
 * of letters, because each letter embeds it.
 */
const LETTERS_MAX = { letters: 500, pages: 1_000, bytes: 25_000_000 };

export const NewBatch = {
  from_date: date
    .optional()
    .describe(
      'Letters from before this day are excluded, now and later. Default: the date of the latest batch; for the first batch, the business date.',
    ),
};

/** Creates a batch of all waiting letters. Throws Conflict if there are none. */
export async function createRequestedBatch(
  work: Work,
  { from_date }: { from_date?: string | undefined },
) {
  if (from_date !== undefined && from_date > work.today)
    throw new Invalid({ from_date: 'Must not be after the business date.' });
  await batches.lockBatchCreation(work.tx);
  const made = await createBatch(work, work.today, from_date);
  if ('id' in made) return made.id;
  const { held } = made;
  throw noLetters(held);
}

export function noLetters(held: number) {
  const message =
    held === 0
      ? 'No letters are waiting.'
      : `No letter can be sent. ${held} letters are held; see their hold_reasons.`;
  return new Conflict(message, 'no_letters', { held });
}

/**
 * Assigns every letter that may be sent to a new batch, up to that day, and enqueues its files. The caller
 * must hold the batch creation lock. If no letter may be sent, returns the number of held letters.
 */
export async function createBatch(
  work: Work,
  business_date: string,
  wanted?: string,
): Promise<{ id: string } | { held: number }> {
  const { tx, actor } = work;
  const from_date = wanted ?? (await batches.latestFromDate(tx)) ?? business_date;
  const days = { from_date, business_date };
  await letters.lockWaiting(tx, days);
  await recheckWaitingLetters(work, days);
  const { waiting, held } = await letters.countWaiting(tx, days);
  if (waiting === 0) return { held };
  const created_by = actor.type === 'user' ? actor.id : null;
  const { id } = await batches.addBatch(tx, { ...days, created_by, held_count: held });
  const files = await batches.assignLetters(tx, id, days, LETTERS_MAX);
  await recordAudit(work, { type: 'mail_batches', id }, 'create', {});
  await make(work, id, files);
  return { id };
}

const make = ({ tx, tenant_id }: Work, batch_id: string, files: readonly { id: string }[]) =>
  enqueueAll(
    tx,
    mergeLetters,
    files.map(({ id: file_id }) => ({ tenant_id, batch_id, file_id })),
  );

/** Makes the missing files of a failed batch again, with the same letters in the same order. */
export async function retryBatch(work: Work, id: string) {
  const { tx, tenant_id } = work;
  const { status, files_removed_at } = await lockBatch(work, id);
  if (files_removed_at !== null) throw filesRemoved();
  if (status !== 'failed') throw new Conflict('Only a failed batch can be retried.', status);
  await batches.setBatchStatus(tx, id, 'making');
  const all = await batchFiles.listFiles(tx, id);
  const left = all.filter(({ kind, storage_key }) => kind === 'letters' && storage_key === null);
  if (left.length > 0) await make(work, id, left);
  else await enqueueAll(tx, finishMailBatch, [{ tenant_id, batch_id: id }]);
}

/** Cancels a batch. Its letters wait again. Throws Conflict if the batch was handed over. */
export async function cancelBatch(work: Work, id: string) {
  const { status, handed_over_at } = await lockBatch(work, id);
  if (status === 'cancelled') throw batchCanceled();
  if (handed_over_at !== null) throw handedOver();
  await batches.releaseLetters(work.tx, id);
  await batches.setBatchStatus(work.tx, id, 'cancelled');
}

/** Temporary links to all files of the batch. The batch then counts as handed over. */
export async function downloadBatch(work: Work, id: string) {
  const { tx, installation } = work;
  await lockBatchWithFiles(work, id);
  await batches.markHandedOver(tx, id);
  const { download_ttl_s } = (await settingsOf(tx)).documents;
  const expires_at = new Date(Date.now() + download_ttl_s * 1000);
  const files = [];
  for (const { filename, storage_key, file_size, sha256_hash } of await batchFiles.listFiles(
    tx,
    id,
  )) {
    const content_type = typeOf(filename);
    const link = {
      key: storage_key ?? '',
      method: 'GET',
      expires_at,
      content_type,
      filename,
    } as const;
    const download_url = await installation.files.presign(link);
    files.push({ filename, content_type, file_size, sha256_hash, download_url });
  }
  return { files, expires_at: expires_at.toISOString() };
}

const TYPES = { pdf: 'application/pdf', csv: 'text/csv', json: 'application/json' } as const;
const typeOf = (filename: string) =>
  TYPES[(filename.split('.').at(-1) ?? 'pdf') as keyof typeof TYPES];

export const handedOver = () =>
  new Conflict('The batch was handed over, so its letters may already be mailed.', 'handed_over');

export const batchCanceled = () => new Conflict('The batch is already canceled.', 'cancelled');

export const filesRemoved = () => new Conflict(FILES_REMOVED, 'removed');
