import { createHash } from 'node:crypto';
import { boardImport } from '../../jobs/books/imports/board-import.ts';
import { checkImport } from '../../jobs/books/imports/check-import.ts';
import { confirmImport } from '../../jobs/books/imports/confirm-import.ts';
import { summarizeTotals } from '../../jobs/books/imports/control-totals.ts';
import { createImport } from '../../jobs/books/imports/create-import.ts';
import type { ImportOptions } from '../../jobs/books/imports/import-options.ts';
import type { Within } from '../../jobs/work.ts';
import * as stored from '../../sql/books/imports.ts';
import { bookOf } from './books.ts';

type Imported = { id: string; checkedMs: number; boardedMs: number };

/** Imports a book from memory, as `npm run board` does. Returns how long its check and its boarding took. */
export async function importBook(
  within: Within,
  tenantId: string,
  files: Readonly<Record<string, string>>,
  options: ImportOptions = {},
): Promise<Imported> {
  const book = bookOf(files);
  const content = JSON.stringify(files);
  const { id } = await within(tenantId, (work) =>
    createImport(work, {
      filename: 'book',
      sha256_hash: createHash('sha256').update(content).digest('hex'),
      file_size: content.length,
      mapping: null,
      options,
      isStored: false,
    }),
  );
  const read = () => within(tenantId, ({ tx }) => stored.readImport(tx, id));
  const started = performance.now();
  await checkImport(within, tenantId, id, book);
  const checkedMs = performance.now() - started;
  const totals = summarizeTotals((await read())?.control_totals ?? []);
  await within(tenantId, (work) => confirmImport(work, id, totals));
  const confirmed = performance.now();
  await boardImport(within, tenantId, id, book);
  const boardedMs = performance.now() - confirmed;
  const done = await read();
  if (done?.status !== 'boarded') throw new Error(done?.failure_reason ?? 'The book is missing.');
  return { id, checkedMs, boardedMs };
}
