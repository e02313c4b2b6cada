import * as tape from '../../../sql/loans/tape.ts';
import type { ImportRow } from '../../../sql/books/imports.ts';
import type { Work } from '../../work.ts';
import type { LoanRow } from './book-rows.ts';

/** Fills the address of a borrower when the file gives only the state. */
const UNKNOWN = { street: 'Unknown', city: 'Unknown', postal_code: '00000' };

/**
 * The borrowers of these loans by external id. A borrower whose external id is new is added; a known one is used and not
 * changed.
 */
export async function findOrAddBorrowers(
  work: Work,
  _row: ImportRow,
  loans: readonly LoanRow[],
): Promise<Map<string, string>> {
  const unique = new Map(loans.map((loan) => [loan.borrower_external_id, loan]));
  const rows = [...unique.values()].map((row) => ({
    external_id: row.borrower_external_id,
    first_name: row.borrower_first_name,
    last_name: row.borrower_last_name,
    state: row.borrower_state,
    street: row.borrower_street ?? UNKNOWN.street,
    city: row.borrower_city ?? UNKNOWN.city,
    postal_code: row.borrower_postal_code ?? UNKNOWN.postal_code,
    email: row.borrower_email ?? null,
  }));
  const borrowers = await tape.addBorrowers(work.tx, rows);
  return new Map(borrowers.map(({ external_id, id }) => [external_id, id]));
}
