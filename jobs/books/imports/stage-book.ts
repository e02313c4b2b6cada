import * as rows from '../../../sql/books/import-rows.ts';
import * as stored from '../../../sql/books/imports.ts';
import { update } from '../../../sql/write.ts';
import type { Within, Work } from '../../work.ts';
import { borrowerOfRow, keyOfRow, sharesRow } from './staged-rows.ts';
import type { Book } from '../format/reading/book.ts';
import { readBook, STAGED_FILES, type PlacedRow } from './book-rows.ts';

/** Rows per transaction. */
const BATCH = 2_000;

/**
 * Stores the rows of a confirmed book, sealed, so that each chunk of loans finds its rows in any of the files. Safe to
 * repeat after an interruption: it continues after the rows that are stored already.
 */
export async function stageBook(
  within: Within,
  tenantId: string,
  id: string,
  book: Book,
  onProgress?: (rows: number) => void,
): Promise<void> {
  let count = await within(
    tenantId,
    async (work) => (await lockBoardingImport(work, id)).rows_staged,
  );
  let skipped = count;
  let waiting: PlacedRow[] = [];
  const store = async () => {
    const batch = waiting;
    waiting = [];
    const rows_staged = count + batch.length;
    await within(tenantId, async (work) => {
      const row = await lockBoardingImport(work, id);
      // A worker that was taken for dead has stored rows as well.
      if (row.rows_staged !== count) throw new ImportBusy();
      await rows.stageRows(work.tx, id, shareRows(batch).map(sealedBy(work)));
      await update(work.tx, 'imports', id, { rows_staged });
    });
    count = rows_staged;
    onProgress?.(count);
  };
  for await (const { row } of readBook(book, STAGED_FILES)) {
    if (row === null) continue;
    if (skipped > 0) {
      skipped -= 1;
      continue;
    }
    waiting.push(row);
    if (waiting.length >= BATCH) await store();
  }
  await store();
}

/** The rows of a batch that share one stored row. */
const shareRows = (batch: readonly PlacedRow[]): PlacedRow[][] => [
  ...Map.groupBy(batch, ({ file, position, values }) =>
    sharesRow(file) ? `${file} ${keyOfRow(file, values)}` : `${file}:${position}`,
  ).values(),
];

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
  (shared: readonly PlacedRow[]): rows.NewRow => {
    const [first] = shared;
    if (first === undefined) throw new Error('A stored row holds at least one row.');
    const { values, ...place } = first;
    const kept = sharesRow(place.file)
      ? shared.map(({ source, line, values }) => ({ source, line, values }))
      : values;
    return {
      ...place,
      key: keyOfRow(place.file, values),
      borrower_key: borrowerOfRow(place.file, values),
      values_sealed: keys.seal(tenant_id, JSON.stringify(kept)),
    };
  };
