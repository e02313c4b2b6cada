import { readTape } from '../../loans/boarding/boarding-tape.ts';
import type { BookFileName, BookRow } from '../format/book-files.ts';
import type { BookFinding } from './finding.ts';

/** A row of `loans.csv`, with its line. */
export type LoanRow = BookRow<'loans'> & { line: number };

/** A valid row of a book file, or something that is wrong with it. */
export type BookItem =
  { row: { file: BookFileName; line: number; values: object } } | { finding: BookFinding };

export type BookSource = { open: () => AsyncIterable<Uint8Array> };

/** Reads a book: its valid rows, and what is wrong with the others. */
export async function* readBook(source: BookSource): AsyncGenerator<BookItem> {
  const { rows, refusals } = await readTape(source.open());
  for (const { line, column, reason } of refusals) {
    const place = { file: 'loans', line, column };
    yield { finding: { ...place, code: 'invalid', severity: 'error', reason } };
  }
  for (const { line, ...values } of rows) yield { row: { file: 'loans', line, values } };
}
