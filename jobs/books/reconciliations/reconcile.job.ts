import { z } from 'zod';
import * as stored from '../../../sql/books/reconciliations.ts';
import { currentTenant } from '../../../sql/tenants.ts';
import { uuid } from '../../../sql/types.ts';
import { update } from '../../../sql/write.ts';
import type { Files } from '../../files/files.ts';
import { storageKey } from '../../files/keys.ts';
import { ZipRefused } from '../../files/read-zip.ts';
import { unsealFile } from '../../files/sealed-files.ts';
import { openStoredTree } from '../../files/stored-tree.ts';
import { job, type Job } from '../../job.ts';
import type { Within, Work } from '../../work.ts';
import { BookUnreadable } from '../conventions/read-studied-loans.ts';
import { readMapping } from '../format/mapping/read-mapping.ts';
import { writeDifferences } from './differences-file.ts';
import { openFiguresBook } from './figures-book.ts';
import { FileUnusable, runReconciliation } from './run-reconciliation.ts';

const Payload = z.object({ tenant_id: uuid, reconciliation_id: uuid });

/** Less than the deadline of the pool, after which a job could no longer say why it stopped. */
const COMPARING_MS = 4 * 60_000;
const TOO_LONG =
  'The comparison takes longer than 4 minutes. Send fewer loans or days in a file, or use npm run reconcile.';

/**
 * Compares an uploaded file, and writes the differences of any comparison that is done as a CSV file. A repeated run
 * starts over. The uploaded file is removed afterwards.
 */
export const reconcileJob: Job<z.output<typeof Payload>> = job({
  name: 'reconcile',
  // In the documents pool, so that a close of business never waits for it.
  pool: 'documents',
  payload: Payload,
  attempts: 3,
  key: ({ reconciliation_id }) => `reconcile:${reconciliation_id}`,

  async run({ tenant_id, reconciliation_id: id }, { within, files }) {
    const row = await within(tenant_id, ({ tx }) => stored.readReconciliation(tx, id));
    if (row === null) return;
    const { storage_key } = row;
    // An attempt that stopped while it removed the file has stored its result.
    const isOpen = row.status === 'waiting' || row.status === 'running';
    if (isOpen && storage_key !== null)
      try {
        await compareStored(within, files, tenant_id, { ...row, storage_key });
      } catch (error) {
        const reason = reasonOf(error);
        if (reason === null) throw error;
        await within(tenant_id, (work) => failReconciliation(work, id, reason));
      }
    await storeDifferences(within, files, tenant_id, id);
    if (storage_key === null) return;
    await files.clear(storage_key);
    await within(tenant_id, ({ tx }) =>
      update(tx, 'reconciliations', id, { storage_key: null, file_key_sealed: null }),
    );
  },

  failed: (work, { reconciliation_id }, reason) =>
    failReconciliation(work, reconciliation_id, reason),
});

/** Marks a comparison as failed, unless its results or an earlier reason are stored already. */
export async function failReconciliation({ tx }: Pick<Work, 'tx'>, id: string, reason: string) {
  const run = await stored.lockReconciliation(tx, id);
  if (run?.status !== 'waiting' && run?.status !== 'running') return;
  await update(tx, 'reconciliations', id, {
    status: 'failed',
    failure_reason: reason.slice(0, 2_000),
  });
}

/** A command stores its progress after each 100 loans, and before that it reads its file. */
const SILENT_MINUTES = 30;

/** Marks comparisons as failed whose command was killed or has lost its database. */
export async function endStoppedCommands({ tx }: Pick<Work, 'tx'>) {
  for (const id of await stored.listStoppedCommands(tx, SILENT_MINUTES))
    await update(tx, 'reconciliations', id, {
      status: 'failed',
      failure_reason: `The command that compared the file has stopped: it stored nothing for ${SILENT_MINUTES} minutes. Run it again.`,
    });
}

/** A sentence for the user if the file is to blame, without its contents. Otherwise null. */
export function reasonOf(error: unknown): string | null {
  if (error instanceof BookUnreadable) return error.withoutContents();
  return error instanceof FileUnusable || error instanceof ZipRefused ? error.message : null;
}

async function compareStored(
  within: Within,
  files: Files,
  tenantId: string,
  row: stored.StoredReconciliation & { storage_key: string },
) {
  const { id, file_key_sealed, mapping, storage_key } = row;
  if (file_key_sealed === null) throw new Error('The key of the file is missing.');
  const file_key = await within(tenantId, async ({ installation }) =>
    installation.keys.unseal(tenantId, file_key_sealed),
  );
  async function* bytes() {
    const content = await files.stream(storage_key);
    if (content === null)
      throw new Error('The file of the reconciliation is missing from the store.');
    yield* unsealFile(file_key, content);
  }
  await using tree = await openStoredTree(row, bytes);
  const book = openFiguresBook(tree, mapping === null ? null : readMapping(mapping));
  const until = performance.now() + COMPARING_MS;
  await runReconciliation(within, tenantId, id, book, {
    onProgress: () => {
      if (performance.now() > until) throw new FileUnusable(TOO_LONG);
    },
  });
}

/** Stores the differences of a comparison that is done as a file. */
async function storeDifferences(within: Within, files: Files, tenantId: string, id: string) {
  const key = await within(tenantId, async ({ tx }) => {
    const row = await stored.readReconciliation(tx, id);
    if (row?.status !== 'done' || row.differences_key !== null) return null;
    const { slug: tenant_slug } = await currentTenant(tx);
    const filename = 'differences.csv';
    return storageKey({
      tenant_slug,
      loan_id: 'reconciliations',
      document_type: id,
      filename,
    });
  });
  if (key === null) return;
  await files.put(key, writeDifferences(within, tenantId, id));
  await within(tenantId, ({ tx }) => update(tx, 'reconciliations', id, { differences_key: key }));
}
