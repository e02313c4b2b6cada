import type { ExportedRow } from '../../../sql/books/export-rows.ts';
import type { BookFileName } from '../format/book-files.ts';
import type { BookRequest } from './book-request.ts';

/** Whether the book is for another servicer, who does not need to know what only concerns this one. */
export const leavesOutInternal = ({ scope, with_internal_records }: BookRequest): boolean =>
  scope.servicing_transfer_id !== null && !with_internal_records;

/** Columns that only concern this servicer, by file. */
const INTERNAL_COLUMNS: { [Name in BookFileName]?: readonly string[] } = {
  investors: ['notes'],
  loans: ['officer_email'],
  valuations: ['notes'],
  promises: ['contact_note'],
  notes: ['author'],
  // The note of a payment.
  history: ['description'],
};

/** Facts of `records.csv`. The price is that at which this servicer, or its client, sold a loan. */
const INTERNAL_FACTS = ['purchase_price', 'purchase_price_ratio', 'notes', 'contact_note'];

/** The rows without prices of sales, internal notes and the names of officers. */
export function withoutInternal(
  name: BookFileName,
  rows: readonly ExportedRow[],
): readonly ExportedRow[] {
  const columns = INTERNAL_COLUMNS[name] ?? [];
  const shown = name === 'notes' ? rows.filter((row) => row['visibility'] !== 'internal') : rows;
  if (name === 'records')
    return shown.map((row) => ({ ...row, facts: without(Object(row['facts']), INTERNAL_FACTS) }));
  return columns.length === 0 ? shown : shown.map((row) => without(row, columns));
}

const without = <Row extends object>(row: Row, columns: readonly string[]): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !columns.includes(name))) as Row;
