import { mapConcurrently } from '../../../sql/database/batch-by-transaction.ts';
import * as staged from '../../../sql/books/import-rows.ts';
import * as stored from '../../../sql/books/imports.ts';
import { sumByStatus } from '../../../sql/loans/boarding.ts';
import * as tape from '../../../sql/loans/tape.ts';
import { update } from '../../../sql/write.ts';
import { Invalid } from '../../errors.ts';
import { boardLoan } from '../../loans/boarding/board-loan.ts';
import { ChunkRefused } from './chunk-refused.ts';
import { startTotals } from './control-totals.ts';
import type { Work } from '../../work.ts';
import type { BookRow } from '../format/book-files.ts';
import type { LoanRow } from './book-rows.ts';
import { storable, type BookFinding } from './finding.ts';
import { ImportOptions } from './import-options.ts';
import { toBoarding } from './loan-input.ts';
import { createParentFinder } from './loan-parents.ts';
import { importBorrowers } from './import-borrowers.ts';
import { importLoanRecords, LOAN_FILES, type NewLoan } from './import-loan-records.ts';
import { importLeftovers } from './import-leftovers.ts';
import { lockBoardingImport } from './stage-book.ts';
import { loadRows, loanKey, openRow, type StagedRows } from './staged-rows.ts';

/** Loans boarded concurrently, which share SQL statements. Larger groups need more memory and are hardly faster. */
const GROUP = 100;
/** Loans per transaction. */
export const CHUNK = 500;
/** Loans per statement when the boarded loans are added up. */
const SUM_BATCH = 10_000;

/** The business date moved while the loans were boarded. */
export class DateMoved extends Error {
  constructor(from: string, to: string) {
    super(
      `The business date moved from ${from} to ${to}. The other loans are not boarded. Resume the import to board them as of ${to}, or correct their figures and import them as another file.`,
    );
  }
}

export type ChunkDone = { loans_boarded: number; isComplete: boolean };

/**
 * Boards the next loans of an import with everything that belongs to them, and records them in the same transaction. After
 * a crash the next call therefore continues with the loans that are missing. The lock of the import orders two workers.
 */
export async function boardNextChunk(work: Work, id: string, limit = CHUNK): Promise<ChunkDone> {
  const { tx, today } = work;
  const row = await lockBoardingImport(work, id);
  if (row.business_date !== today) throw new DateMoved(row.business_date ?? '', today);
  const rows = await staged.nextLoanRows(tx, id, limit);
  if (rows.length === 0) {
    if (await importLeftovers(work, row))
      return { loans_boarded: row.loans_boarded, isComplete: false };
    return completeImport(work, row);
  }
  const loans = rows.map((one): LoanRow => ({
    ...openRow<BookRow<'loans'>>(work, one),
    line: one.line,
  }));
  const boarded = await boardRows(work, row, loans);
  await staged.recordBoardedLoans(tx, id, boarded);
  const ids = boarded.map(({ loan_id }) => loan_id);
  await tape.auditBoarding(tx, ids, row.filename);
  const loans_boarded = row.loans_boarded + boarded.length;
  await update(tx, 'imports', id, { loans_boarded });
  return { loans_boarded, isComplete: false };
}

async function boardRows(work: Work, row: stored.ImportRow, loans: readonly LoanRow[]) {
  const find = await createParentFinder(work, ImportOptions.parse(row.options));
  const rowsOf = await loadRows(
    work,
    row.id,
    LOAN_FILES,
    loans.map(({ loan_number }) => loanKey(loan_number)),
  );
  const people = loans.flatMap(({ loan_number, borrower_external_id }) => [
    borrower_external_id,
    ...namedIn(rowsOf, loan_number),
  ]);
  const short = new Map(loans.map((loan) => [loan.borrower_external_id, loan]));
  const borrowers = await importBorrowers(work, row, people, short);
  const boarded: NewLoan[] = [];
  const findings: BookFinding[] = [];
  const prepared = [];
  for (const loan of loans) prepared.push({ loan, found: await find(loan) });
  for (let from = 0; from < prepared.length; from += GROUP) {
    await mapConcurrently(prepared.slice(from, from + GROUP), async ({ loan, found }) => {
      const { line } = loan;
      const borrower_id = borrowers.get(loan.borrower_external_id);
      if (found === null || borrower_id === undefined)
        return findings.push(refusal(line, 'product_code', 'This product does not exist.'));
      try {
        const input = toBoarding(loan, { borrower_id, ...found.ids });
        const id = await boardLoan(work, input, found.parents);
        return boarded.push({ id, borrower_id, row: loan });
      } catch (error) {
        // `boardLoan` throws `Invalid` before it writes anything, so the other loans of the chunk can still be checked.
        if (!(error instanceof Invalid)) throw error;
        return findings.push(
          ...Object.entries(error.errors).map(([column, reason]) => refusal(line, column, reason)),
        );
      }
    });
  }
  if (findings.length > 0)
    throw new ChunkRefused(findings.toSorted((one, other) => one.line - other.line));
  const warnings: BookFinding[] = [];
  const warn = (finding: Omit<BookFinding, 'severity'>) =>
    void warnings.push({ ...finding, severity: 'warning' });
  await importLoanRecords({ work, import: row, loans: boarded, rowsOf, borrowers, warn });
  await appendFindings(work, row.id, warnings);
  return boarded.map(({ id, row: { loan_number, line } }) => ({ loan_number, line, loan_id: id }));
}

/** The people whom rows of a loan name besides its borrower. */
const namedIn = (rowsOf: StagedRows, loan_number: string) =>
  (['co_borrowers', 'autopay', 'notes'] as const).flatMap((file) =>
    rowsOf(file, loanKey(loan_number)).flatMap(({ values }) => values.borrower_external_id ?? []),
  );

/** What was found while loans were boarded. */
async function appendFindings({ tx }: Work, id: string, findings: readonly BookFinding[]) {
  if (findings.length === 0) return;
  const last = await stored.lastFindingPosition(tx, id);
  await stored.addFindings(tx, id, storable(findings, last));
  await stored.countWarnings(tx, id, findings.length);
}

const refusal = (line: number, column: string, reason: string): BookFinding => ({
  file: 'loans',
  line,
  column,
  code: 'refused',
  severity: 'error',
  reason,
});

/** All loans are boarded: adds up what they owe now, and removes the stored rows. */
async function completeImport({ tx, today }: Work, row: stored.ImportRow): Promise<ChunkDone> {
  const totals = startTotals();
  for (let after = 0; ;) {
    const part = await staged.listBoardedLoans(tx, row.id, after, SUM_BATCH);
    if (part.length === 0) break;
    const ids = part.map(({ loan_id }) => loan_id);
    for (const sums of await sumByStatus(tx, ids, today)) totals.addSums(sums);
    after = part.at(-1)?.line ?? 0;
  }
  await staged.removeRows(tx, row.id);
  await update(tx, 'imports', row.id, {
    status: 'boarded',
    boarded_totals: totals.read(),
    boarded_at: new Date().toISOString(),
  });
  return { loans_boarded: row.loans_boarded, isComplete: true };
}
