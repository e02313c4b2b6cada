import * as people from '../../../sql/books/borrowers.ts';
import { findLoansByNumber } from '../../../sql/loans/tape.ts';
import { Invalid } from '../../errors.ts';
import { checkLoan } from '../../loans/boarding/board-loan.ts';
import type { Work } from '../../work.ts';
import type { LoanRow } from './book-rows.ts';
import type { LoanFigures } from './control-totals.ts';
import type { BookFinding } from './finding.ts';
import type { ImportOptions } from './import-options.ts';
import { nameOf } from './import-borrowers.ts';
import { toBoarding } from './loan-input.ts';
import { createParentFinder } from './loan-parents.ts';

/** A borrower who does not exist yet. The checks do not read the borrower. */
const NO_BORROWER = '00000000-0000-0000-0000-000000000000';

export type CheckedLoans = { findings: BookFinding[]; figures: LoanFigures[] };

/**
 * Checks some rows of `loans.csv` against the tenant: its products, its loans, its borrowers and the business date.
 * Writes nothing. A few statements for all rows.
 */
export async function checkLoans(
  work: Work,
  rows: readonly LoanRow[],
  options: ImportOptions,
): Promise<CheckedLoans> {
  const find = await createParentFinder(work, options);
  const numbers = rows.map(({ loan_number }) => loan_number);
  const taken = new Set(
    (await findLoansByNumber(work.tx, numbers)).map(({ loan_number }) => loan_number),
  );
  const findings: BookFinding[] = [];
  const figures: LoanFigures[] = [];
  for (const row of rows) {
    const { line } = row;
    const report = (column: string, code: string, reason: string) =>
      findings.push({ file: 'loans', line, column, code, severity: 'error', reason });
    if (taken.has(row.loan_number))
      report('loan_number', 'loan_exists', 'A loan with this number already exists.');
    const found = await find(row);
    if (found === null) {
      report('product_code', 'unknown_product', 'This product does not exist.');
      continue;
    }
    const input = toBoarding(row, { borrower_id: NO_BORROWER, ...found.ids });
    try {
      figures.push({ status: row.status, ...checkLoan(work, input, found.parents) });
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      for (const [column, reason] of Object.entries(error.errors))
        report(column, 'refused', reason);
    }
  }
  findings.push(...(await checkKnownBorrowers(work, rows)));
  return { findings, figures };
}

/** A borrower is matched by the external id. Another name for a known id is a mistake in the file or here. */
async function checkKnownBorrowers({ tx }: Work, rows: readonly LoanRow[]) {
  const ids = rows.map(({ borrower_external_id }) => borrower_external_id);
  const known = new Map(
    (await people.findByExternalIds(tx, ids)).map((one) => [one.external_id, one]),
  );
  return rows.flatMap((row): BookFinding[] => {
    const stored = known.get(row.borrower_external_id);
    if (stored?.is_archived)
      return [
        {
          file: 'loans',
          line: row.line,
          column: 'borrower_external_id',
          code: 'borrower_archived',
          severity: 'error',
          reason: 'The borrower with this external id is archived. Unarchive the borrower first.',
        },
      ];
    const name = nameOf(row);
    if (!stored || name === null || isSameName(stored, name)) return [];
    return [
      {
        file: 'loans',
        line: row.line,
        column: 'borrower_external_id',
        code: 'borrower_name_differs',
        severity: 'error',
        reason:
          'A borrower with this external id has another name. Correct the id, or the name of the borrower here.',
      },
    ];
  });
}

export type Name = { first_name: string; last_name: string };
const plain = (name: string) => name.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase();

export const isSameName = (one: Name, other: Name) =>
  plain(one.first_name) === plain(other.first_name) &&
  plain(one.last_name) === plain(other.last_name);
