import { z } from 'zod';
import * as stored from '../../../sql/books/reconciliations.ts';
import { uuid } from '../../../sql/types.ts';
import { update } from '../../../sql/write.ts';
import { openBytesAsTree, UPLOAD_LIMITS } from '../../files/file-tree.ts';
import type { Files } from '../../files/files.ts';
import { ZipRefused } from '../../files/read-zip.ts';
import { unsealFile } from '../../files/sealed-files.ts';
import { job, type Job } from '../../job.ts';
import type { Within } from '../../work.ts';
import { BookUnreadable } from '../conventions/read-studied-loans.ts';
import { readMapping } from '../format/mapping/read-mapping.ts';
import { openFiguresBook } from './figures-book.ts';
import { FileUnusable, runReconciliation } from './run-reconciliation.ts';

const Payload = z.object({ tenant_id: uuid, reconciliation_id: uuid });

/** Compares an uploaded file. A repeated run begins anew. The file is removed afterwards. */
export const reconcileJob: Job<z.output<typeof Payload>> = job({
  name: 'reconcile',
  pool: 'ledger',
  payload: Payload,
  attempts: 3,
  key: ({ reconciliation_id }) => `reconcile:${reconciliation_id}`,

  async run({ tenant_id, reconciliation_id: id }, { within, files }) {
    const row = await within(tenant_id, ({ tx }) => stored.readReconciliation(tx, id));
    if (row === null || row.storage_key === null) return;
    try {
      await compareStored(within, files, tenant_id, row);
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === null) throw error;
      await within(tenant_id, ({ tx }) => failed(tx, id, reason));
    }
    await files.clear(row.storage_key);
    await within(tenant_id, ({ tx }) =>
      update(tx, 'reconciliations', id, { storage_key: null, file_key_sealed: null }),
    );
  },

  failed: async ({ tx }, { reconciliation_id }, reason) => failed(tx, reconciliation_id, reason),
});

const failed = (tx: Parameters<typeof stored.readReconciliation>[0], id: string, reason: string) =>
  update(tx, 'reconciliations', id, { status: 'failed', failure_reason: reason.slice(0, 2_000) });

/** A sentence for the user if the file is to blame. Otherwise null. */
const reasonOf = (error: unknown): string | null =>
  error instanceof FileUnusable || error instanceof BookUnreadable || error instanceof ZipRefused
    ? error.message
    : null;

async function compareStored(
  within: Within,
  files: Files,
  tenantId: string,
  { id, filename, storage_key, file_key_sealed, mapping }: stored.StoredReconciliation,
) {
  const content = await files.stream(storage_key ?? '');
  if (content === null || file_key_sealed === null)
    throw new Error('The file of the reconciliation is missing from the store.');
  const file_key = await within(tenantId, async ({ installation }) =>
    installation.keys.unseal(tenantId, file_key_sealed),
  );
  const bytes = Buffer.concat(await Array.fromAsync(unsealFile(file_key, content)));
  await using tree = await openBytesAsTree(bytes, filename, UPLOAD_LIMITS);
  const book = openFiguresBook(tree, mapping === null ? null : readMapping(mapping));
  await runReconciliation(within, tenantId, id, book);
}
