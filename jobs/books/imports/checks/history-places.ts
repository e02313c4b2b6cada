import { dictionary } from '../../../../sql/dictionary.ts';
import type { LoanRow } from '../book-rows.ts';
import type { BookFinding } from '../finding.ts';

type Place = Pick<BookFinding, 'file' | 'line' | 'column'>;
type StoredPlace = { source: string; line: number };
/** A row of a file, and the names of its columns there. A stored row does not know them. */
export type RowPlace = StoredPlace & { labelOf: (column: string) => string };

/** The fields that have another name in `loans.csv`. */
const LOAN_COLUMNS = dictionary<string>({
  history: 'history_from',
  'history.from': 'history_from',
  'history.opening': 'history_opening_principal',
  borrower_id: 'borrower_external_id',
  product_id: 'product_code',
  program_id: 'program_code',
  portfolio_id: 'portfolio_code',
  investor_id: 'investor_code',
});

/** A row of `loans.csv`. */
export type PlacedLoan = RowPlace & { row: LoanRow };

const OF_TRANSACTION = /^history\.transactions\[(\d+)\]\.(\w+)$/;

/** Where a field of `boardLoan` is in a book: in the line of its loan, or of one of its transactions. */
export function placeOfField(
  field: string,
  loan: StoredPlace | RowPlace,
  transactions: readonly (StoredPlace | RowPlace)[],
): Place {
  const [, index = '', name = ''] = OF_TRANSACTION.exec(field) ?? [];
  const transaction = transactions[Number(index)];
  const [row, column] =
    name !== '' && transaction ? [transaction, name] : [loan, LOAN_COLUMNS[field] ?? field];
  return {
    file: row.source,
    line: row.line,
    column: 'labelOf' in row ? row.labelOf(column) : column,
  };
}
