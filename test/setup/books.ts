import type { FileTree } from '../../jobs/files/file-tree.ts';
import type { BookFileName } from '../../jobs/books/format/book-files.ts';
import {
  checkBook,
  type CheckedRow,
  type CheckOptions,
} from '../../jobs/books/format/checks/check-book.ts';
import type { Finding } from '../../jobs/books/format/findings.ts';
import { readMapping } from '../../jobs/books/format/mapping/read-mapping.ts';
import type { Book, BookLine } from '../../jobs/books/format/reading/book.ts';
import { openBook } from '../../jobs/books/format/reading/open-book.ts';
import { readRows } from '../../jobs/books/format/reading/read-rows.ts';

type Files = Readonly<Record<string, string | Uint8Array>>;

/** A folder in memory. With the kind `file`, the only file. */
export const treeOf = (files: Files, kind: FileTree['kind'] = 'folder'): FileTree => ({
  kind,
  name: 'book',
  files: Object.entries(files).map(([path, content]) => {
    const bytes = Buffer.from(content);
    return {
      path,
      size: bytes.length,
      stream: async function* () {
        for (let at = 0; at < bytes.length; at += 1000)
          yield await Promise.resolve(bytes.subarray(at, at + 1000));
      },
    };
  }),
  [Symbol.asyncDispose]: () => Promise.resolve(),
});

export const bookOf = (files: Files, mapping: string | null = null): Book =>
  openBook(
    treeOf(files, Object.keys(files).length === 1 ? 'file' : 'folder'),
    mapping === null ? null : readMapping(mapping),
  );

/** All lines of a book file. */
export const linesOf = <Name extends BookFileName>(
  book: Book,
  name: Name,
): Promise<BookLine<Name>[]> => Array.fromAsync(readRows(book, name));

/** The findings as short texts: line, column and code. */
export const placesOf = (lines: readonly Pick<BookLine<'loans'>, 'findings'>[]) =>
  lines.flatMap(({ findings }) =>
    findings.map(({ line, column, code }) => `${line} ${column ?? '-'} ${code}`),
  );

/** Everything that a check finds, as short texts: file, line, column and code. */
export async function findingsOf(book: Book, options: Partial<CheckOptions> = {}) {
  const findings: Finding[] = [];
  const rows: CheckedRow[] = [];
  for await (const item of checkBook(book, { today: '2026-03-31', ...options }))
    if ('finding' in item) findings.push(item.finding);
    else rows.push(item.row);
  const places = findings.map(
    ({ file, line, column, code }) => `${file} ${line} ${column ?? '-'} ${code}`,
  );
  return { findings, rows, places };
}

/** A CSV file of these records. Columns are those of all records. */
export function csvOf(...records: readonly Readonly<Record<string, string>>[]): string {
  const columns = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const quote = (field: string) =>
    /[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
  const lines = records.map((record) => columns.map((name) => quote(record[name] ?? '')).join(','));
  return [columns.join(','), ...lines].join('\n');
}

/** A loan of a book with borrowers.csv, with the given fields replaced. */
export const loanRecord = (wish: Readonly<Record<string, string>> = {}) => ({
  loan_number: 'L-1',
  borrower_external_id: 'B-1',
  principal_amount: '10000.00',
  current_principal_balance: '9260.00',
  interest_rate: '0.085',
  term_months: '36',
  payment_amount: '315.68',
  origination_date: '2025-12-10',
  first_payment_date: '2026-01-10',
  paid_through_date: '2026-03-10',
  status: 'active',
  ...wish,
});

export const borrowerRecord = (wish: Readonly<Record<string, string>> = {}) => ({
  borrower_external_id: 'B-1',
  first_name: 'Ada',
  last_name: 'Lovelace',
  ...wish,
});

/** A loan as an older system exports it, with the given fields replaced. */
export const foreignLoan = (wish: Readonly<Record<string, string>> = {}) => ({
  'Acct No': '0007',
  'Cust ID': 'C-1',
  Customer: 'Lovelace, Ada',
  ST: 'NY',
  'Orig Amt': '$10,000.00',
  'Prin Bal': '$9,260.00',
  Fees: '(25.00)',
  Rate: '8.5%',
  Term: '36 months',
  Pmt: '$315.68',
  Opened: '12/10/2025',
  'First Due': '1/10/2026',
  'Next Due': '4/10/2026',
  Stat: 'CUR',
  Branch: 'North',
  ...wish,
});

/** A loan of `loans.csv` that bears no interest. */
export const INTEREST_FREE_LOAN = {
  loan_number: 'L-1',
  borrower_external_id: 'P-1',
  borrower_first_name: 'Ada',
  borrower_last_name: 'Moreno',
  borrower_state: 'IL',
  principal_amount: '1200.00',
  current_principal_balance: '1200.00',
  interest_rate: '0',
  term_months: '12',
  payment_amount: '100.00',
  origination_date: '2026-01-01',
  first_payment_date: '2026-02-01',
  status: 'active',
} as const;
