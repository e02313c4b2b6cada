import * as people from '../../../sql/books/borrowers.ts';
import { findLoansByNumber } from '../../../sql/loans/boarding/tape.ts';
import { Invalid } from '../../errors.ts';
import { checkLoan, termsFor } from '../../loans/boarding/check-loan.ts';
import type { Work } from '../../work.ts';
import { warnAboutLoan } from '../format/checks/loan-warnings.ts';
import { applySwitches } from '../format/findings.ts';
import type { LoanRow } from './book-rows.ts';
import type { LoanFigures } from './control-totals.ts';
import type { BookFinding } from './finding.ts';
import { switchesOf, type ImportOptions } from './import-options.ts';
import { boardingInput } from './loan-input.ts';
import { createParentFinder } from './loan-parents.ts';
import { labelsOf } from './records/record-columns.ts';

/** A borrower who does not exist yet. The checks do not read the borrower. */
const NO_BORROWER = '00000000-0000-0000-0000-000000000000';

export type Place = { source: string; line: number; labelOf: (column: string) => string };
export type PlacedLoan = Place & { row: LoanRow };

export type CheckedLoans = { findings: BookFinding[]; figures: LoanFigures[] };

/**
 * Checks some rows of `loans.csv` against the tenant: its products, its loans and the business date. Writes nothing. A few
 * statements for all rows. `bookProducts`: the products that the book itself brings, whose loans are checked when they
 * are boarded.
 */
export async function checkLoans(
  work: Work,
  placed: readonly PlacedLoan[],
  options: ImportOptions,
  bookProducts: ReadonlySet<string>,
): Promise<CheckedLoans> {
  const find = await createParentFinder(work, options);
  const numbers = placed.map(({ row }) => row.loan_number);
  const taken = new Set(
    (await findLoansByNumber(work.tx, numbers)).map(({ loan_number }) => loan_number),
  );
  const findings: BookFinding[] = [];
  const figures: LoanFigures[] = [];
  const switches = switchesOf(options);
  for (const { row, source, line, labelOf } of placed) {
    const report = (column: string, code: string, reason: string) =>
      findings.push({
        file: source,
        line,
        column: labelOf(column),
        code,
        severity: 'error',
        reason,
      });
    if (taken.has(row.loan_number))
      report('loan_number', 'loan_exists', 'A loan with this number already exists.');
    const code = row.product_code ?? options.product_code;
    if (code !== undefined && bookProducts.has(code)) {
      figures.push(figuresOf(row));
      continue;
    }
    if (Number(row.suspense_balance ?? 0) > 0 && row.history_from === undefined)
      findings.push({
        file: source,
        line,
        column: labelOf('suspense_balance'),
        code: 'suspense_left_out',
        severity: 'warning',
        reason:
          'Money in suspense is boarded with a replayed history only. Record it as a payment after the loan is boarded.',
      });
    try {
      if (row.labels) labelsOf(row.labels);
      const found = await find(row);
      const input = boardingInput(row, NO_BORROWER, found);
      figures.push({ status: row.status, ...checkLoan(work, input, found.parents) });
      const terms = termsFor(input, found.parents);
      for (const issue of warnAboutLoan(row, { terms, today: work.today })) {
        const column = issue.column === null ? null : labelOf(issue.column);
        const warning = { ...issue, column, file: source, line, severity: 'warning' } as const;
        const kept = applySwitches(warning, switches);
        if (kept !== null) findings.push(kept);
      }
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      for (const [column, reason] of Object.entries(error.errors))
        report(column, 'refused', reason);
    }
  }
  return { findings, figures };
}

/** What the row itself says that is owed. */
function figuresOf(row: LoanRow): LoanFigures {
  const { status, current_principal_balance: balance } = row;
  const none = { status, principal: '0.00', interest: '0.00', fees: '0.00', charged_off: '0.00' };
  if (status === 'charged_off') return { ...none, charged_off: row.charge_off_amount ?? balance };
  if (status !== 'active') return none;
  const { accrued_interest: interest = '0.00', outstanding_fees: fees = '0.00' } = row;
  return { ...none, principal: balance, interest, fees };
}

export type PlacedPerson = Place & { external_id: string; name: Name | null };
export type Name = { first_name: string; last_name: string };

/** A borrower is matched by the external id. Another name for a known id is a mistake in the file or here. */
export async function checkKnownBorrowers({ tx }: Work, placed: readonly PlacedPerson[]) {
  const ids = placed.map(({ external_id }) => external_id);
  const known = new Map(
    (await people.findByExternalIds(tx, ids)).map((one) => [one.external_id, one]),
  );
  return placed.flatMap(({ source, line, labelOf, external_id, name }): BookFinding[] => {
    const stored = known.get(external_id);
    const report = (code: string, reason: string): BookFinding[] => [
      {
        file: source,
        line,
        column: labelOf('borrower_external_id'),
        code,
        severity: 'error',
        reason,
      },
    ];
    if (!stored) return [];
    if (stored.is_archived)
      return report(
        'borrower_archived',
        'The borrower with this external id is archived. Unarchive the borrower first.',
      );
    if (name === null || isSameName(stored, name)) return [];
    return report(
      'borrower_name_differs',
      'A borrower with this external id has another name. Correct the id, or the name of the borrower here.',
    );
  });
}

const plain = (name: string) => name.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase();

const isSameName = (one: Name, other: Name) =>
  plain(one.first_name) === plain(other.first_name) &&
  plain(one.last_name) === plain(other.last_name);
