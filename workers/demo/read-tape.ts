import type { BookRow } from '../../jobs/books/format/book-files.ts';
import { checkBook } from '../../jobs/books/format/checks/check-book.ts';
import { openBook } from '../../jobs/books/format/reading/open-book.ts';
import type { BookFinding } from '../../jobs/books/imports/finding.ts';
import type { FileTree } from '../../jobs/files/file-tree.ts';

const NEEDED = [
  ...(['borrower_first_name', 'borrower_last_name', 'borrower_state'] as const),
  ...(['payment_amount', 'first_payment_date'] as const),
] as const;

/** A loan of the demo's tape, which is a book of one file, with its line. */
export type TapeRow = BookRow<'loans'> & {
  [Name in (typeof NEEDED)[number]]: NonNullable<BookRow<'loans'>[Name]>;
} & { line: number };

/** Why a line of the tape is left out. */
export type Refusal = Pick<BookFinding, 'line' | 'column' | 'reason'>;

/** Reads a tape. Returns its valid loans, and the reasons against the other lines. */
export async function readTape(tree: FileTree): Promise<{ rows: TapeRow[]; refusals: Refusal[] }> {
  const rows: TapeRow[] = [];
  const refusals: Refusal[] = [];
  // The demo creates the products before it boards the loans.
  const findKnown = (_file: string, keys: readonly string[]) => Promise.resolve(new Set(keys));
  for await (const item of checkBook(openBook(tree), { today: LAST_DAY, findKnown })) {
    if ('finding' in item) {
      if (item.finding.severity === 'error') refusals.push(item.finding);
      continue;
    }
    const { line, values } = item.row;
    const row = { ...(values as BookRow<'loans'>), line };
    if (isComplete(row)) rows.push(row);
    else refusals.push({ line, column: null, reason: `The demo needs ${NEEDED.join(', ')}.` });
  }
  const refused = new Set(refusals.map(({ line }) => line));
  return { rows: rows.filter(({ line }) => !refused.has(line)), refusals };
}

/** The demo moves its date to the loans, so no loan of a tape is in the future. */
const LAST_DAY = '9999-12-31';

const isComplete = (row: BookRow<'loans'> & { line: number }): row is TapeRow =>
  NEEDED.every((name) => row[name] !== undefined);
