import * as staged from '../../../sql/books/import-rows.ts';
import * as stored from '../../../sql/books/imports.ts';
import type { Files } from '../../files/files.ts';
import { ZipRefused } from '../../files/read-zip.ts';
import { unsealFile } from '../../files/sealed-files.ts';
import { openStoredTree } from '../../files/stored-tree.ts';
import type { Within } from '../../work.ts';
import { readMapping } from '../format/mapping/read-mapping.ts';
import type { Book } from '../format/reading/book.ts';
import { openBook } from '../format/reading/open-book.ts';

/** Statuses of an import whose file is not needed any more. */
export const ENDED: readonly stored.ImportStatus[] = ['boarded', 'canceled'];

/** The uploaded book of an import; null if it has none or does not need it any more. */
export async function openStoredBook(
  within: Within,
  files: Files,
  tenantId: string,
  id: string,
): Promise<Book | null> {
  const { row, keys } = await within(tenantId, async ({ tx, installation: { keys } }) => {
    const row = await stored.readImport(tx, id);
    return { row: row !== null && (await needsFiles(tx, row)) ? row : null, keys };
  });
  if (row === null) return null;
  const { storage_key, file_key_sealed } = row;
  if (storage_key === null || file_key_sealed === null) return null;
  const file_key = keys.unseal(tenantId, file_key_sealed);
  async function* bytes() {
    const content = await files.stream(storage_key ?? '');
    if (content === null) throw new Error('The file of the import is missing from the store.');
    yield* unsealFile(file_key, content);
  }
  const mapping = row.mapping === null ? null : readMapping(row.mapping);
  try {
    return openBook(await openStoredTree(row, bytes), mapping);
  } catch (error) {
    if (!(error instanceof ZipRefused)) throw error;
    return unreadableBook(row.filename, error.message);
  }
}

/** Once its rows are staged, only documents are read from the files. */
async function needsFiles(tx: Tx, { id, status, rows_staged, rows_total }: stored.ImportRow) {
  if (status !== 'boarding' || rows_staged < rows_total) return !ENDED.includes(status);
  return (await staged.nextRowsWithoutRecord(tx, id, 'documents', 1)).length > 0;
}

type Tx = Parameters<typeof stored.readImport>[0];

const unreadableBook = (name: string, reason: string): Book => ({
  name,
  mapping: null,
  sources: [],
  documents: new Map(),
  findings: [
    { file: name, line: 1, column: null, code: 'unreadable_file', severity: 'error', reason },
  ],
});
