import { z } from 'zod';
import * as borrowers from '../../../sql/borrowers/borrowers.ts';
import * as exports from '../../../sql/borrowers/exports.ts';
import { newId } from '../../../sql/new-id.ts';
import { find, findLocked, type Row } from '../../../sql/table.ts';
import { currentTenant } from '../../../sql/tenants.ts';
import { uuid } from '../../../sql/types.ts';
import { insert } from '../../../sql/write.ts';
import { recordAudit } from '../../audit.ts';
import { NotFound } from '../../errors.ts';
import { safeFilename, storageKey } from '../../files/keys.ts';
import { enqueue, job } from '../../job.ts';
import type { ExternalServices } from '../../external-systems.ts';
import { settingsOf } from '../../users/settings/settings.ts';
import type { Work } from '../../work.ts';
import { zipped, type ZipEntry } from '../../files/zip.ts';

/** Requests an archive of all data about a borrower. If one is already being made, returns that export. */
export async function requestExport(work: Work, borrowerId: string): Promise<Row> {
  const { tx, tenant_id } = work;
  if ((await findLocked(tx, borrowers.borrowers, borrowerId)) === null) throw new NotFound();
  const pending = await exports.findPendingId(tx, borrowerId);
  const id = pending ?? (await insertExport(work, borrowerId));
  if (pending === null) {
    await enqueue(tx, exportBorrower, { tenant_id, export_id: id });
    const entity = { type: 'borrower_exports', id, borrower_id: borrowerId };
    await recordAudit(work, entity, 'create', {});
  }
  const row = await find(tx, exports.borrowerExports, id);
  if (row === null) throw new Error(`The export ${id} vanished in its own transaction.`);
  return row;
}

async function insertExport({ tx, actor }: Work, borrower_id: string): Promise<string> {
  const id = newId();
  const { slug: tenant_slug } = await currentTenant(tx);
  const place = { tenant_slug, loan_id: 'exports', document_type: id, filename: 'borrower.zip' };
  return insert(tx, 'borrower_exports', {
    id,
    borrower_id,
    requested_by: actor.id,
    storage_key: storageKey(place),
  });
}

/**
 * Writes the archive: a file per table, read from one database snapshot, and the files of all documents. A
 * repeated run replaces nothing once the export is completed.
 */
export const exportBorrower = job({
  name: 'export-borrower',
  // In the documents pool, so that a close of business never waits for it.
  pool: 'documents',
  payload: z.object({ tenant_id: uuid, export_id: uuid }),
  attempts: 5,
  key: ({ export_id }) => `export-borrower:${export_id}`,

  async run({ tenant_id, export_id }, outside) {
    const { within, files } = outside;
    const read = await within(tenant_id, (work) => loadExportContents(work, export_id), {
      snapshot: true,
    });
    if (read === null) return;
    const steps = (done: number) =>
      within(tenant_id, ({ tx }) =>
        exports.setProgress(tx, export_id, done, read.documents.length),
      );
    const entries = zipEntries(read, files, steps);
    await files.put(read.storage_key, zipped(entries, outside.now()), {
      when: (file, place) =>
        within(tenant_id, async ({ tx }) => {
          const { export_days: days } = (await settingsOf(tx)).retention;
          if (await exports.markCompleted(tx, export_id, { ...file, days })) await place();
        }),
    });
  },

  failed: ({ tx }, { export_id }, reason) => exports.markExportFailed(tx, export_id, reason),
});

type ExportContents = {
  storage_key: string;
  texts: { path: string; text: string }[];
  documents: readonly exports.DocumentFile[];
};

async function loadExportContents({ tx }: Work, exportId: string): Promise<ExportContents | null> {
  const ordered = await exports.findUnfinished(tx, exportId);
  if (ordered === null) return null;
  const { borrower_id, storage_key } = ordered;
  const ids = await exports.relatedIds(tx, borrower_id);
  const texts: ExportContents['texts'] = [];
  for (const { folder, name } of await exports.listExportedTables(tx)) {
    const rows = await exports.exportedRows(tx, name, ids);
    // Empty tables are omitted.
    if (rows.length > 0)
      texts.push({ path: `${folder}/${name}.json`, text: `[\n${rows.join(',\n')}\n]\n` });
  }
  return { storage_key, texts, documents: await exports.documentFiles(tx, ids) };
}

const README = `Everything that is kept about one borrower.

Each .json file has the records of one kind, the oldest first, as they are kept; amounts are in the
currency of the loan, times are UTC. documents/files has the files themselves, each named after
the id of its record in documents/documents.json. Full account numbers, social security numbers
and passwords are kept sealed and are in no export. A loan that is owed with another person is
included; what is, or may be, about that person is left out or "Redacted".
`;

async function* zipEntries(
  { texts, documents }: ExportContents,
  files: ExternalServices['files'],
  steps: (done: number) => Promise<unknown>,
): AsyncGenerator<ZipEntry> {
  yield { path: 'README.txt', content: Buffer.from(README) };
  for (const { path, text } of texts) yield { path, content: Buffer.from(text) };
  await steps(0);
  for (const [index, { id, filename, storage_key }] of documents.entries()) {
    const content = await files.stream(storage_key);
    // The nightly invariant check reports files missing from the store. The record is still in the export.
    if (content !== null)
      yield { path: `documents/files/${id}-${safeFilename(filename)}`, content };
    await steps(index + 1);
  }
}
