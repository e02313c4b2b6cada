import { z } from 'zod';
import * as stored from '../../../sql/books/imports.ts';
import { uuid } from '../../../sql/types.ts';
import { update } from '../../../sql/write.ts';
import { job } from '../../job.ts';
import { checkImport } from './check-import.ts';
import { openStoredBook } from './stored-book.ts';

/** Checks the uploaded file of an import. */
export const checkImportJob = job({
  name: 'check-import',
  // In the documents pool, so that a close of business never waits for it.
  pool: 'documents',
  // Books can have a million loans.
  deadlineMs: 60 * 60_000,
  payload: z.object({ tenant_id: uuid, import_id: uuid }),
  attempts: 5,
  key: ({ import_id }) => `check-import:${import_id}`,

  async run({ tenant_id, import_id }, { within, files }) {
    const source = await openStoredBook(within, files, tenant_id, import_id);
    if (source !== null) await checkImport(within, tenant_id, import_id, source);
  },

  failed: async ({ tx }, { import_id }, failure_reason) => {
    const row = await stored.lockImport(tx, import_id);
    if (row?.status === 'uploaded' || row?.status === 'checking')
      await update(tx, 'imports', import_id, { status: 'failed', failure_reason });
  },
});
