import { readTape, type TapeRow } from '../../loans/boarding/boarding-tape.ts';
import type { BookFinding } from './finding.ts';

/** A row of a loan. */
export type LoanRow = TapeRow;

/** A valid row of a book file, or something that is wrong with it. */
export type BookItem =
  | { row: { file: string; line: number; key: string; values: Record<string, unknown> } }
  | { finding: BookFinding };

export type BookSource = { open: () => AsyncIterable<Uint8Array> };

/** Reads a book: its valid rows, and what is wrong with the others. */
export async function* readBook(source: BookSource): AsyncGenerator<BookItem> {
  const { rows, refusals } = await readTape(source.open());
  for (const { line, column, reason } of refusals) {
    const place = { file: 'loans', line, column };
    yield { finding: { ...place, code: 'invalid', severity: 'error', reason } };
  }
  for (const row of rows)
    yield { row: { file: 'loans', line: row.line, key: row.loan_number, values: row } };
}
