import * as staged from '../../../../sql/books/import-rows.ts';
import type { ImportRow } from '../../../../sql/books/imports.ts';
import type { Work } from '../../../work.ts';
import { importBorrowers } from './import-borrowers.ts';
import { importCases } from './import-cases.ts';
import { openRow } from '../staged-rows.ts';

/** Borrowers per transaction. */
const BORROWERS = 500;
/** Cases per transaction. Each may recalculate several loans. */
const CASES = 20;

/**
 * Imports some of what remains when all loans are boarded: people without a loan, and their cases, and cases whose
 * facts name several loans. Returns whether there was something.
 */
export async function importLeftovers(work: Work, row: ImportRow): Promise<boolean> {
  const people = await staged.nextRowsWithoutRecord(work.tx, row.id, 'borrowers', BORROWERS);
  if (people.length > 0) {
    const rows = people.map((one) => openRow<'borrowers'>(work, one));
    const ids = rows.map(({ borrower_external_id }) => borrower_external_id);
    await importBorrowers(work, row, ids);
    return true;
  }
  const cases = await staged.nextRowsWithoutRecord(work.tx, row.id, 'cases', CASES);
  if (cases.length === 0) return false;
  // A case may concern a borrower who is known here and has no loan in the book.
  const concerned = cases.map((one) => openRow<'cases'>(work, one).borrower_external_id);
  await importBorrowers(work, row, concerned);
  await importCases(work, row, cases);
  return true;
}
