import * as rows from '../../../sql/books/import-rows.ts';
import * as stored from '../../../sql/books/imports.ts';
import { update } from '../../../sql/write.ts';
import type { Within, Work } from '../../work.ts';
import { borrowerOfRow, keyOfRow } from './staged-rows.ts';
import type { Book } from '../format/reading/book.ts';
import { readBook, STAGED_FILES, type PlacedRow } from './book-rows.ts';

/** Rows per transaction. */
const BATCH = 2_000;

/**
 * Stores the rows of a confirmed book, sealed, so that each chunk of loans finds its rows in any of the files. Safe to
 * repeat after an interruption: rows that are stored already are skipped.
 */
export async function stageBook(
  within: Within,
  tenantId: string,
  id: string,
  book: Book,
  onProgress?: (rows: number) => void,
): Promise<void> {
  let count = 0;
  let waiting: PlacedRow[] = [];
  const store = async () => {
    const batch = waiting;
    waiting = [];
    count += batch.length;
    const rows_staged = count;
    await within(tenantId, async (work) => {
      await lockBoardingImport(work, id);
      await rows.stageRows(work.tx, id, batch.map(sealedBy(work)));
      await update(work.tx, 'imports', id, { rows_staged });
    });
    onProgress?.(count);
  };
  for await (const { row } of readBook(book, STAGED_FILES)) {
    if (row === null) continue;
    waiting.push(row);
    if (waiting.length >= BATCH) await store();
  }
  await store();
}

/** Locks the import for one step. Throws if it is no longer being boarded, or if another worker boards it. */
export async function lockBoardingImport({ tx }: Work, id: string): Promise<stored.ImportRow> {
  const row = await stored.lockImportIfFree(tx, id);
  if (row === null) throw new ImportBusy();
  if (row.status !== 'boarding') throw new ImportEnded();
  return row;
}

/** The import was canceled while it was boarded. */
export class ImportEnded extends Error {
  constructor() {
    super('The import is no longer being boarded.');
  }
}

/** Another worker boards the import at this moment. */
export class ImportBusy extends Error {
  constructor() {
    super('Another process is boarding this import. Wait until it is done.');
  }
}

const sealedBy =
  ({ tenant_id, installation: { keys } }: Work) =>
  ({ values, ...place }: PlacedRow): rows.NewRow => ({
    ...place,
    key: keyOfRow(place.file, values),
    borrower_key: borrowerOfRow(place.file, values),
    values_sealed: keys.seal(tenant_id, JSON.stringify(values)),
  });
