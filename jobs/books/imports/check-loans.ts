import * as people from '../../../sql/books/borrowers.ts';
import { findOfficers } from '../../../sql/books/brought-records.ts';
import { findLoansByNumber } from '../../../sql/loans/boarding/tape.ts';
import { Invalid } from '../../errors.ts';
import { checkLoan, termsFor } from '../../loans/boarding/check-loan.ts';
import type { Work } from '../../work.ts';
import type { Issue } from '../format/checks/issue.ts';
import { NO_BORROWER } from './checks/check-histories.ts';
import type { createInterestDoubt } from './checks/interest-doubt.ts';
import { refusalsOf, toWarning, warningsOf } from './checks/loan-findings.ts';
import { placeOfField, type PlacedLoan, type RowPlace } from './checks/history-places.ts';
import type { LoanFigures } from './control-totals.ts';
import type { BookFinding } from './finding.ts';
import { switchesOf, type ImportOptions } from './import-options.ts';
import { boardingInput } from './loan-input.ts';
import type { FindParents, FoundParents } from './loan-parents.ts';
import { labelsOf } from './records/record-columns.ts';

export type CheckedLoans = { findings: BookFinding[]; figures: LoanFigures[] };

type Context = {
  options: ImportOptions;
  /** Finds what a loan names, also if the book itself brings it. */
  find: FindParents;
  /** Takes a loan that is checked together with its history or its events. Returns whether it is one. */
  keepForReplay: (loan: PlacedLoan, found: FoundParents) => boolean;
  doubt: ReturnType<typeof createInterestDoubt>;
  /** Takes a loan whose investor takes no loans. Shares of the loan that follow in the book replace its investor. */
  onUnknownInvestor: ((loan_number: string, finding: BookFinding) => void) | null;
};

/**
 * Checks some rows of `loans.csv` against the tenant: its products, its loans and the business date. Writes nothing. A few
 * statements for all rows.
 */
export async function checkLoans(
  work: Work,
  placed: readonly PlacedLoan[],
  { options, find, keepForReplay, doubt, onUnknownInvestor }: Context,
): Promise<CheckedLoans> {
  const numbers = placed.map(({ row }) => row.loan_number);
  const taken = new Set(
    (await findLoansByNumber(work.tx, numbers)).map(({ loan_number }) => loan_number),
  );
  const emails = placed.flatMap(({ row }) => row.officer_email ?? []);
  const officers = await findOfficers(work.tx, emails);
  const findings: BookFinding[] = [];
  const figures: LoanFigures[] = [];
  const findParents = async (loan: PlacedLoan) => {
    const { row } = loan;
    try {
      return await find(row);
    } catch (error) {
      const reason = error instanceof Invalid ? error.errors['investor_code'] : undefined;
      if (reason === undefined || onUnknownInvestor === null) throw error;
      const [finding] = refusalsOf(new Invalid({ investor_code: reason }), loan);
      if (finding !== undefined) onUnknownInvestor(row.loan_number, finding);
      return find({ ...row, investor_code: undefined });
    }
  };
  const switches = switchesOf(options);
  for (const loan of placed) {
    const { row } = loan;
    if (taken.has(row.loan_number))
      findings.push({
        ...placeOfField('loan_number', loan, []),
        code: 'loan_exists',
        severity: 'error',
        reason:
          'A loan with this number exists here already. Remove the line, or give the loan another number.',
      });
    if (row.officer_email && !officers.has(row.officer_email))
      findings.push(...toWarning(loan, UNKNOWN_OFFICER, switches));
    try {
      if (row.labels) labelsOf(row.labels);
      const found = await findParents(loan);
      const input = boardingInput(row, NO_BORROWER, found);
      const terms = termsFor(input, found.parents);
      if (keepForReplay(loan, found)) continue;
      figures.push({ status: row.status, ...checkLoan(work, input, found.parents) });
      doubt.add(loan, terms, work.today);
      findings.push(...warningsOf(loan, { terms, today: work.today, switches }));
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      findings.push(...refusalsOf(error, loan));
    }
  }
  return { findings, figures };
}

const UNKNOWN_OFFICER: Issue = {
  column: 'officer_email',
  code: 'unknown_officer',
  reason:
    'No active user with this address may service loans. Add the user, or the loan has no officer.',
};

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
