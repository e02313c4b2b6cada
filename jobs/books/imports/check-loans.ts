import * as people from '../../../sql/books/borrowers.ts';
import { findOfficers } from '../../../sql/books/brought-records.ts';
import { findLoansByNumber } from '../../../sql/loans/boarding/tape.ts';
import { Invalid } from '../../errors.ts';
import { checkLoan, termsFor } from '../../loans/boarding/check-loan.ts';
import type { Work } from '../../work.ts';
import { warnAboutLoan } from '../format/checks/loan-warnings.ts';
import type { Issue } from '../format/checks/issue.ts';
import { applySwitches } from '../format/findings.ts';
import { placeOfField, type PlacedLoan, type RowPlace } from './checks/history-places.ts';
import { statedFigures, type LoanFigures } from './control-totals.ts';
import type { BookFinding } from './finding.ts';
import { switchesOf, type ImportOptions } from './import-options.ts';
import { boardingInput } from './loan-input.ts';
import { createParentFinder, type BookParents, type FoundParents } from './loan-parents.ts';
import { labelsOf } from './records/record-columns.ts';

/** A borrower who does not exist yet. The checks do not read the borrower. */
const NO_BORROWER = '00000000-0000-0000-0000-000000000000';

export type CheckedLoans = { findings: BookFinding[]; figures: LoanFigures[] };

type Context = {
  options: ImportOptions;
  /** What the book itself brings. Loans of its products are checked when they are boarded. */
  ofBook: BookParents;
  /** Takes a loan whose history is replayed. Its balances are checked with it. */
  onReplayed: ((loan: PlacedLoan, found: FoundParents) => void) | null;
};

/**
 * Checks some rows of `loans.csv` against the tenant: its products, its loans and the business date. Writes nothing. A few
 * statements for all rows.
 */
export async function checkLoans(
  work: Work,
  placed: readonly PlacedLoan[],
  { options, ofBook, onReplayed }: Context,
): Promise<CheckedLoans> {
  const find = await createParentFinder(work, options, ofBook);
  const numbers = placed.map(({ row }) => row.loan_number);
  const taken = new Set(
    (await findLoansByNumber(work.tx, numbers)).map(({ loan_number }) => loan_number),
  );
  const emails = placed.flatMap(({ row }) => row.officer_email ?? []);
  const officers = await findOfficers(work.tx, emails);
  const findings: BookFinding[] = [];
  const figures: LoanFigures[] = [];
  const switches = switchesOf(options);
  for (const loan of placed) {
    const { row, source, line, labelOf } = loan;
    const warn = ({ column, code, reason }: Issue) => {
      const place = { file: source, line, column: column === null ? null : labelOf(column) };
      const kept = applySwitches({ ...place, code, reason, severity: 'warning' }, switches);
      if (kept !== null) findings.push(kept);
    };
    if (taken.has(row.loan_number))
      findings.push({
        ...placeOfField('loan_number', loan, []),
        code: 'loan_exists',
        severity: 'error',
        reason:
          'A loan with this number exists here already. Remove the line, or give the loan another number.',
      });
    const code = row.product_code ?? options.product_code;
    if (code !== undefined && ofBook.products.has(code)) {
      figures.push(statedFigures(row));
      continue;
    }
    if (Number(row.suspense_balance ?? 0) > 0 && row.history_from === undefined)
      warn({
        column: 'suspense_balance',
        code: 'suspense_left_out',
        reason:
          'Money in suspense is boarded with a replayed history only. Record it as a payment after the loan is boarded.',
      });
    if (row.officer_email && !officers.has(row.officer_email))
      warn({
        column: 'officer_email',
        code: 'unknown_officer',
        reason:
          'No active user with this address may service loans. Add the user, or the loan has no officer.',
      });
    try {
      if (row.labels) labelsOf(row.labels);
      const found = await find(row);
      const input = boardingInput(row, NO_BORROWER, found);
      const terms = termsFor(input, found.parents);
      if (row.history_from !== undefined && onReplayed !== null) onReplayed(loan, found);
      else figures.push({ status: row.status, ...checkLoan(work, input, found.parents) });
      for (const issue of warnAboutLoan(row, { terms, today: work.today })) warn(issue);
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      for (const [field, reason] of Object.entries(error.errors))
        findings.push({
          ...placeOfField(field, loan, []),
          code: 'refused',
          severity: 'error',
          reason,
        });
    }
  }
  return { findings, figures };
}

export type PlacedPerson = RowPlace & { external_id: string; name: Name | null };
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
