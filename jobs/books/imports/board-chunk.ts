import { lockIfUsable } from '../../../sql/borrowers/borrowers.ts';
import { mapConcurrently, runInGroups } from '../../../sql/database/batch-by-transaction.ts';
import * as staged from '../../../sql/books/import-rows.ts';
import * as stored from '../../../sql/books/imports.ts';
import { sumByStatus } from '../../../sql/loans/boarding/boarding.ts';
import * as tape from '../../../sql/loans/boarding/tape.ts';
import { update } from '../../../sql/write.ts';
import { Invalid } from '../../errors.ts';
import { prepareBoarding } from '../../loans/boarding/board-loan.ts';
import type { Work } from '../../work.ts';
import type { LoanRow } from './book-rows.ts';
import { ChunkRefused } from './chunk-refused.ts';
import { startTotals } from './control-totals.ts';
import { storable, type BookFinding } from './finding.ts';
import { importBorrowers } from './records/import-borrowers.ts';
import { importCasesOf } from './records/import-cases.ts';
import { importLeftovers } from './records/import-leftovers.ts';
import { importLoanRecords, LOAN_FILES, type NewLoan } from './records/import-loan-records.ts';
import { placeOfField } from './checks/history-places.ts';
import { ImportOptions } from './import-options.ts';
import { boardingInput, historyOf } from './loan-input.ts';
import { createParentFinder } from './loan-parents.ts';
import {
  boardingWithEvents,
  completeBroughtLoans,
  deactivateSettings,
  importBookLedger,
  importBookSettings,
  loadHistories,
  type BroughtLoan,
} from './exported/own-export.ts';
import { findInvestorAccount, ownedParents, withoutRepeated } from './exported/owned-loans.ts';
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

/** `awaitsDocuments`: everything but the documents is done, which need the files of the book. */
export type ChunkDone = { loans_boarded: number; isComplete: boolean; awaitsDocuments?: true };

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
    const done = { loans_boarded: row.loans_boarded, isComplete: false };
    if (await importLeftovers(work, row)) return done;
    const [document] = await staged.nextRowsWithoutRecord(tx, id, 'documents', 1);
    return document ? { ...done, awaitsDocuments: true } : completeImport(work, row);
  }
  if (row.loans_boarded === 0) await importBookSettings(work, row);
  const { loans: boarded, people } = await boardRows(work, row, rows);
  const ids = boarded.map((loan) => loan.id);
  await staged.recordBoardedLoans(
    tx,
    id,
    boarded.map(({ id: loan_id, position, row: { loan_number } }) => ({
      loan_number,
      position,
      loan_id,
    })),
  );
  await importCasesOf(work, row, people);
  await tape.auditBoarding(tx, ids, row.filename);
  const loans_boarded = row.loans_boarded + boarded.length;
  await update(tx, 'imports', id, { loans_boarded });
  return { loans_boarded, isComplete: false };
}

type BoardedLoan = NewLoan & { position: number };
type PlacedLoan = staged.StagedRow & { row: LoanRow };

async function boardRows(work: Work, row: stored.ImportRow, rows: readonly staged.StagedRow[]) {
  const placed = rows.map((one) => ({ ...one, row: openRow<'loans'>(work, one) }));
  await refuseTakenNumbers(work, placed);
  const keys = placed.map((one) => loanKey(one.row.loan_number));
  const rowsOf = await loadRows(work, row.id, LOAN_FILES, keys);
  const borrowers = await importBorrowers(
    work,
    row,
    placed.flatMap((one) => [
      one.row.borrower_external_id,
      ...namedIn(rowsOf, one.row.loan_number),
    ]),
    new Map(placed.map((one) => [one.row.borrower_external_id, one.row])),
  );
  const eventsOf = await loadHistories(work, row.id, keys);
  const investorAccount = await findInvestorAccount(work);
  const options = ImportOptions.parse(row.options);
  const find = await createParentFinder(work, options);
  const usable_borrowers = await lockUsable(work, [...new Set(borrowers.values())]);
  const known = { rowsOf, borrowers, eventsOf, investorAccount, options, find, usable_borrowers };
  const loans: BoardedLoan[] = [];
  const brought: BroughtLoan[] = [];
  const findings: BookFinding[] = [];
  const refuse = (loan: PlacedLoan, error: unknown) => {
    if (!(error instanceof Invalid)) throw error;
    const transactions = rowsOf('history', loanKey(loan.row.loan_number));
    for (const [field, reason] of Object.entries(error.errors))
      findings.push({ ...placeOfField(field, loan, transactions), ...REFUSED, reason });
  };
  await runInGroups(placed, GROUP, {
    // After a loan was refused, the other loans of the chunk are still checked.
    prepare: (loan) =>
      prepareRow(work, loan, known).catch((error: unknown) => {
        refuse(loan, error);
        return null;
      }),
    async run(prepared) {
      if (prepared === null) return;
      const { loan, borrower_id, history, records, write } = prepared;
      try {
        const id = await write();
        if (history ?? records.length > 0) brought.push({ id, borrower_id, history, records });
        loans.push({ ...loan, id, borrower_id });
      } catch (error) {
        refuse(loan, error);
      }
    },
  });
  if (findings.length > 0)
    throw new ChunkRefused(findings.toSorted((one, other) => one.line - other.line));
  const warnings: BookFinding[] = [];
  const { accepted_warnings = '' } = options;
  const accepted = accepted_warnings.split(',').map((code) => code.trim());
  const warn = (finding: Omit<BookFinding, 'severity'>) => {
    if (!accepted.includes(finding.code)) warnings.push({ ...finding, severity: 'warning' });
  };
  await importLoanRecords({ work, import: row, loans, rowsOf, borrowers, warn });
  await completeBroughtLoans(work, row.id, brought, warn);
  await appendFindings(work, row.id, warnings);
  return { loans, people: [...borrowers.keys()] };
}

type Known = {
  rowsOf: StagedRows;
  borrowers: ReadonlyMap<string, string>;
  eventsOf: Awaited<ReturnType<typeof loadHistories>>;
  investorAccount: string | null;
  options: ImportOptions;
  find: Awaited<ReturnType<typeof createParentFinder>>;
  usable_borrowers: ReadonlySet<string>;
};

/** Checks and computes a loan, and returns the function that writes it. Throws `Invalid`. */
async function prepareRow(work: Work, loan: PlacedLoan, known: Known) {
  const { rowsOf, eventsOf, usable_borrowers } = known;
  const { loan_number, borrower_external_id } = loan.row;
  const borrower_id = known.borrowers.get(borrower_external_id) ?? '';
  const records = rowsOf('records', loanKey(loan_number));
  const row = withoutRepeated(loan.row, records);
  const found = await known.find(row);
  const own = ownedParents(found.parents, records, known.investorAccount);
  const parents = { ...own, usable_borrowers };
  const input = boardingInput(row, borrower_id, found);
  const history = eventsOf(loan_number);
  const write = history
    ? await prepareBoarding(
        work,
        boardingWithEvents(input, loan.row, records),
        parents,
        () => history.history,
      )
    : await prepareBoarding(
        work,
        {
          ...input,
          ...historyOf(loan.row, rowsOf('history', loanKey(loan_number))),
          accept_difference: known.options.accept_difference,
        },
        parents,
      );
  return { loan, borrower_id, history, records, write };
}

/** Those of the borrowers that may get a loan, locked with one statement for the whole chunk. */
async function lockUsable({ tx }: Work, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const usable = await mapConcurrently(ids, (id) => lockIfUsable(tx, id));
  return new Set(ids.filter((_, at) => usable[at]));
}

/** A loan may have come here since the check, for example with a corrected copy of the file. */
async function refuseTakenNumbers(
  { tx }: Work,
  placed: readonly (staged.StagedRow & { row: { loan_number: string } })[],
) {
  const numbers = placed.map(({ row }) => row.loan_number);
  const taken = new Set(
    (await tape.findLoansByNumber(tx, numbers)).map(({ loan_number }) => loan_number),
  );
  const findings = placed
    .filter(({ row }) => taken.has(row.loan_number))
    .map((loan): BookFinding => ({
      ...placeOfField('loan_number', loan, []),
      ...REFUSED,
      reason: 'A loan with this number exists here already.',
    }));
  if (findings.length > 0) throw new ChunkRefused(findings);
}

/** The people whom rows of a loan name besides its borrower. */
const namedIn = (rowsOf: StagedRows, loan_number: string) =>
  (['co_borrowers', 'autopay', 'notes'] as const).flatMap((file) =>
    rowsOf(file, loanKey(loan_number)).flatMap(({ values }) => values.borrower_external_id ?? []),
  );

/** The findings from boarding loans. */
async function appendFindings({ tx }: Work, id: string, findings: readonly BookFinding[]) {
  if (findings.length === 0) return;
  const last = await stored.lastFindingPosition(tx, id);
  const added = await stored.addFindings(tx, id, storable(findings, last));
  await stored.countWarnings(tx, id, added);
}

const REFUSED = { code: 'refused', severity: 'error' } as const;

/** All loans are boarded: adds up what they owe now, and removes the stored rows. */
async function completeImport(work: Work, row: stored.ImportRow): Promise<ChunkDone> {
  const { tx, today } = work;
  await appendFindings(work, row.id, await importBookLedger(work, row));
  await deactivateSettings(work, row.id);
  const totals = startTotals();
  for (let after = 0; ;) {
    const part = await staged.listBoardedLoans(tx, row.id, after, SUM_BATCH);
    if (part.length === 0) break;
    const ids = part.map(({ loan_id }) => loan_id);
    for (const sums of await sumByStatus(tx, ids, today)) totals.addSums(sums);
    after = part.at(-1)?.position ?? 0;
  }
  await staged.removeRows(tx, row.id);
  await update(tx, 'imports', row.id, {
    status: 'boarded',
    boarded_totals: totals.read(),
    boarded_at: new Date().toISOString(),
  });
  return { loans_boarded: row.loans_boarded, isComplete: true };
}
