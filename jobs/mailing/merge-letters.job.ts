import { z } from 'zod';
import * as batches from '../../sql/mailing/batches.ts';
import * as batchFiles from '../../sql/mailing/files.ts';
import { uuid } from '../../sql/types.ts';
import { enqueue, job } from '../job.ts';
import type { Work } from '../work.ts';
import { finishMailBatch } from './finish-mail-batch.job.ts';
import { batchFileKey } from './batch-file-key.ts';

/**
 * Makes one file of a batch. Its letters and their order were stored when the batch was created, so a
 * repeated run makes the same bytes. The run that makes the last file enqueues the manifests.
 */
export const mergeLetters = job({
  name: 'merge-letters',
  pool: 'documents',
  payload: z.object({ tenant_id: uuid, batch_id: uuid, file_id: uuid }),
  attempts: 5,
  key: ({ file_id }) => `merge-letters:${file_id}`,

  async run({ tenant_id, batch_id, file_id }, { within, files }) {
    const read = (work: Work) => findFileToMerge(work, file_id);
    const wanted = await within(tenant_id, read, { readOnly: true });
    if (wanted === null) return;
    // Every process imports this job, but only the process that runs it needs the PDF library.
    const { mergedPdf } = await import('./merged-pdf.ts');
    await files.put(wanted.key, await mergedPdf(files, wanted.parts), {
      when: (file, place) =>
        within(tenant_id, async ({ tx }) => {
          const batch = await batches.lockBatch(tx, batch_id);
          if (!batches.isInProgress(batch)) return;
          if (!(await batchFiles.recordFile(tx, file_id, file))) return;
          await place();
          const all = await batchFiles.listFiles(tx, batch_id);
          const left = all.filter(({ kind, storage_key }) => kind === 'letters' && !storage_key);
          if (left.length === 0) await enqueue(tx, finishMailBatch, { tenant_id, batch_id });
        }),
    });
  },

  failed: ({ tx }, { batch_id }, reason) => batches.markBatchFailed(tx, batch_id, reason),
});

async function findFileToMerge({ tx }: Work, fileId: string) {
  const file = await batchFiles.findUnmerged(tx, fileId);
  if (file === null) return null;
  const key = await batchFileKey(tx, file.mail_batch_id, file.filename);
  return { key, parts: await batchFiles.listLetterFiles(tx, fileId) };
}
