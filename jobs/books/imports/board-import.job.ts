import { z } from 'zod';
import * as stored from '../../../sql/books/imports.ts';
import { uuid } from '../../../sql/types.ts';
import { update } from '../../../sql/write.ts';
import { enqueue, job, type Job } from '../../job.ts';
import { boardImport } from './board-import.ts';
import { ImportBusy } from './stage-book.ts';
import { removeFile } from './remove-file.ts';
import { openStoredBook } from './stored-book.ts';

/** Chunks per run: about 20 seconds. Then the job enqueues itself, so that it never fills its pool or hinders a stop. */
const CHUNKS_PER_RUN = 20;

const BUSY_MS = 10_000;

const Payload = z.object({ tenant_id: uuid, import_id: uuid });

/**
 * Boards a confirmed import in chunks. After a crash it continues with the loans that are missing. Removes the file of an
 * import that has ended.
 */
export const boardImportJob: Job<z.output<typeof Payload>> = job({
  name: 'board-import',
  pool: 'ledger',
  payload: Payload,
  attempts: 10,
  key: ({ import_id }) => `board-import:${import_id}`,

  async run({ tenant_id, import_id }, { within, files }) {
    const source = await openStoredBook(within, files, tenant_id, import_id);
    const options = { chunks_max: CHUNKS_PER_RUN, files };
    const payload = { tenant_id, import_id };
    const continueAt = (runAt?: Date) =>
      within(tenant_id, ({ tx }) => enqueue(tx, boardImportJob, payload, runAt));
    try {
      if (!(await boardImport(within, tenant_id, import_id, source, options))) return continueAt();
    } catch (error) {
      // A worker that was taken for dead may still hold the import.
      if (error instanceof ImportBusy) return continueAt(new Date(Date.now() + BUSY_MS));
      throw error;
    }
    return removeFile(within, files, tenant_id, import_id);
  },

  failed: async ({ tx }, { import_id }, failure_reason) => {
    const row = await stored.lockImport(tx, import_id);
    if (row?.status === 'confirmed' || row?.status === 'boarding')
      await update(tx, 'imports', import_id, { status: 'failed', failure_reason });
  },
});
