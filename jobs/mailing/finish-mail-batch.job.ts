import { z } from 'zod';
import * as batches from '../../sql/mailing/batches.ts';
import * as batchFiles from '../../sql/mailing/files.ts';
import { uuid } from '../../sql/types.ts';
import type { Files, StoredFile } from '../files/files.ts';
import { job } from '../job.ts';
import { emit } from '../webhooks/emit.ts';
import type { Work } from '../work.ts';
import { handOverToDefaultServer } from './hand-over.ts';
import { batchFileKey } from './batch-file-key.ts';
import { manifestCsv, manifestJson } from './manifest.ts';

/** Writes the manifests once all other files of a batch exist, and reports the batch as ready. */
export const finishMailBatch = job({
  name: 'finish-mail-batch',
  pool: 'documents',
  payload: z.object({ tenant_id: uuid, batch_id: uuid }),
  attempts: 5,
  key: ({ batch_id }) => `finish-mail-batch:${batch_id}`,

  async run({ tenant_id, batch_id }, { within, files }) {
    const write = (work: Work) => writeManifests(work, files, batch_id);
    const manifests = await within(tenant_id, write, { snapshot: true });
    if (manifests === null) return;
    await within(tenant_id, (work) => markFinished(work, batch_id, manifests));
  },

  failed: ({ tx }, { batch_id }, reason) => batches.markBatchFailed(tx, batch_id, reason),
});

/** Reads one database snapshot. A repeated run writes the same bytes. */
async function writeManifests({ tx }: Work, files: Files, batchId: string) {
  const batch = await batches.findBatch(tx, batchId);
  if (!batches.isInProgress(batch)) return null;
  const manifests: { id: string; file: StoredFile }[] = [];
  for (const { id, kind, filename } of await batchFiles.listFiles(tx, batchId)) {
    if (kind !== 'manifest') continue;
    const bytes = filename.endsWith('.csv')
      ? manifestCsv(tx, batchId)
      : manifestJson(tx, batchId, batch);
    manifests.push({ id, file: await files.put(await batchFileKey(tx, batchId, filename), bytes) });
  }
  return manifests;
}

async function markFinished(
  work: Work,
  batchId: string,
  manifests: readonly { id: string; file: StoredFile }[],
) {
  const batch = await batches.lockBatch(work.tx, batchId);
  if (!batches.isInProgress(batch)) return;
  for (const { id, file } of manifests) await batchFiles.recordFile(work.tx, id, file);
  await batches.setBatchStatus(work.tx, batchId, 'ready');
  await handOverToDefaultServer(work, batchId);
  const { number, business_date, letter_count, page_count, held_count } = batch;
  await emit(work, 'mail_batch.ready', {
    mail_batch_id: batchId,
    number,
    business_date,
    letter_count,
    page_count,
    held_count,
  });
}
