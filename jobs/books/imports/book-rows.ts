import { BOOK_FILE_NAMES, type BookFileName, type BookRow } from '../format/book-files.ts';
import type { Finding } from '../format/findings.ts';
import { hasFile, type Book } from '../format/reading/book.ts';
import { readRows } from '../format/reading/read-rows.ts';

export type LoanRow = BookRow<'loans'>;

/** A valid row of a book file. `position` counts the rows of the book file, `source` and `line` name its place. */
export type PlacedRow = {
  file: BookFileName;
  position: number;
  source: string;
  line: number;
  values: object;
};

/** Not needed to board: the figures are compared afterwards. */
const NOT_STAGED: readonly BookFileName[] = ['figures'];

/** The book files whose rows are stored until the book is boarded. */
export const STAGED_FILES = BOOK_FILE_NAMES.filter((name) => !NOT_STAGED.includes(name));

/** Reads the rows of a book, file by file, and the mistakes of the others. */
export async function* readBook(
  book: Book,
  files: readonly BookFileName[] = BOOK_FILE_NAMES,
): AsyncGenerator<{ row: PlacedRow | null; findings: readonly Finding[] }> {
  if (book.findings.length > 0) yield { row: null, findings: book.findings };
  for (const file of files) {
    if (!hasFile(book, file)) continue;
    let position = 0;
    for await (const { file: source, line, row, findings } of readRows(book, file)) {
      if (row === null) yield { row, findings };
      else {
        position += 1;
        yield { row: { file, position, source, line, values: row }, findings };
      }
    }
  }
}
