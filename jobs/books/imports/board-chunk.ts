import { mapConcurrently } from '../../../sql/database/batch-by-transaction.ts';
import * as staged from '../../../sql/books/import-rows.ts';
import * as stored from '../../../sql/books/imports.ts';
import { sumByStatus } from '../../../sql/loans/boarding.ts';
import * as tape from '../../../sql/loans/tape.ts';
import { update } from '../../../sql/write.ts';
import { Invalid } from '../../errors.ts';
import { boardLoan } from '../../loans/boarding/board-loan.ts';
import { startTotals } from './control-totals.ts';
import type { Work } from '../../work.ts';
import type { LoanRow } from './book-rows.ts';
import type { BookFinding } from './finding.ts';
import { ImportOptions } from './import-options.ts';
import { toBoarding } from './loan-input.ts';
import { createParentFinder } from './loan-parents.ts';
import { findOrAddBorrowers } from './import-borrowers.ts';
import { lockBoardingImport, openRow } from './stage-book.ts';

/** Loans boarded concurrently, which share SQL statements. Larger groups need more memory and are hardly faster. */
const GROUP = 100;
/** Loans per transaction. */
export const CHUNK = 500;
/** Loans per statement when the boarded loans are added up. */
const SUM_BATCH = 10_000;

/** Loans of a chunk cannot be boarded, so none of the chunk is. */
export class ChunkRefused extends Error {
  readonly findings: readonly BookFinding[];

  constructor(findings: readonly BookFinding[]) {
    const lines = [...new Set(findings.map(({ line }) => line))];
    const named = `${lines.length === 1 ? 'Line' : 'Lines'} ${lines.slice(0, 20).join(', ')}`;
    super(`${named} cannot be boarded: ${findings[0]?.reason ?? ''}`);
    this.findings = findings;
  }
}

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
  if (rows.length === 0) return completeImport(work, row);
  const loans = rows.map((one) => openRow<LoanRow>(work, one));
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
  const borrowers = await findOrAddBorrowers(work, row, loans);
  const boarded: staged.BoardedLoan[] = [];
  const findings: BookFinding[] = [];
  const prepared = [];
  for (const loan of loans) prepared.push({ loan, found: await find(loan) });
  for (let from = 0; from < prepared.length; from += GROUP) {
    await mapConcurrently(prepared.slice(from, from + GROUP), async ({ loan, found }) => {
      const { line, loan_number } = loan;
      const borrower_id = borrowers.get(loan.borrower_external_id);
      if (found === null || borrower_id === undefined)
        return findings.push(refusal(line, 'product_code', 'This product does not exist.'));
      try {
        const input = toBoarding(loan, { borrower_id, ...found.ids });
        const loan_id = await boardLoan(work, input, found.parents);
        return boarded.push({ loan_number, line, loan_id });
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
  return boarded;
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
