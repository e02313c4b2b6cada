import { setImmediate as turn } from 'node:timers/promises';
import { Invalid } from '../../../errors.ts';
import { checkBoarding } from '../../../loans/boarding/check-boarding.ts';
import { checkLoan, termsFor } from '../../../loans/boarding/check-loan.ts';
import { replayAndCompare, type ComparedLoan } from '../../../loans/boarding/check-replayed.ts';
import { readHistory, type BalanceDifference } from '../../../loans/boarding/replay-history.ts';
import type { BookFileName, BookRow } from '../../format/book-files.ts';
import type { CheckedRow } from '../../format/checks/check-book.ts';
import { createKeySet, hashOf } from '../../format/checks/key-set.ts';
import {
  assertEventFacts,
  broughtHistory,
  type EventRow,
  type InstallmentRow,
} from '../exported/brought-events.ts';
import { boardingWithEvents } from '../exported/own-export.ts';
import type { Boarding } from '../../../loans/boarding/boarding-input.ts';
import type { Terms } from '../../../loans/arithmetic/terms.ts';
import type { LoanRow } from '../book-rows.ts';
import type { Placed } from '../staged-rows.ts';
import { statedFigures, statedOf, type LoanFigures } from '../control-totals.ts';
import type { BookFinding } from '../finding.ts';
import { placeOfField, type PlacedLoan, type RowPlace } from './history-places.ts';
import { switchesOf, type ImportOptions } from '../import-options.ts';
import { boardingInput, historyOf } from '../loan-input.ts';
import type { FoundParents } from '../loan-parents.ts';
import { refusalsOf, warningsOf } from './loan-findings.ts';
import { createRowStore } from './row-store.ts';

/** A borrower who does not exist yet. The checks do not read the borrower. */
export const NO_BORROWER = '00000000-0000-0000-0000-000000000000';

/** Loans after which other work of the process gets its turn. */
const TURN = 20;

/** The rows of one loan are in memory together. A file may have more than one request of the API: one a day for 27 years. */
const TRANSACTIONS_MAX = 10_000;

type FileOfLoan = 'history' | 'events' | 'schedules';

/** Whether rows of the file are checked together with their loan. */
export const isFileOfLoan = (file: BookFileName): file is FileOfLoan =>
  file === 'history' || file === 'events' || file === 'schedules';

type KeptLoan = { file: 'loans'; source: string; line: number; parents: string; row: LoanRow };
type Kept =
  | KeptLoan
  | ({ file: 'history' } & Placed<'history'>)
  | { file: 'events'; values: EventRow }
  | { file: 'schedules'; values: InstallmentRow };
type LabelOf = RowPlace['labelOf'];

export type CheckedHistory = { findings: BookFinding[]; figures: LoanFigures };

type HistoryOptions = { options: ImportOptions; hasEvents: boolean };

/**
 * Replays the histories of a book, or the events of our own export, as boarding will, and reports what boarding would
 * refuse: transactions, and balances that differ from those that `loans.csv` states. Writes nothing.
 */
export function createHistoryCheck({ options, hasEvents }: HistoryOptions) {
  const store = createRowStore<Kept>();
  const parents = new Map<string, FoundParents>();
  const labels = new Map<string, LabelOf>();
  const kept = { loans: createKeySet(), replayed: createKeySet() };
  const incomplete = new Set<string>();
  /** The transactions of each loan, by the hash of its number. */
  const counts = new Map<number, number>();
  let count = 0;
  const keepLabels = (file: string, { source, labelOf }: RowPlace) => {
    if (!labels.has(`${file} ${source}`)) labels.set(`${file} ${source}`, labelOf);
  };
  const placed = ({
    file,
    source,
    line,
  }: {
    file: string;
    source: string;
    line: number;
  }): RowPlace => ({
    source,
    line,
    labelOf: labels.get(`${file} ${source}`) ?? ((column) => column),
  });

  return {
    /** Adds a loan that is checked with the rows that follow it. Returns false for a loan that has none. */
    addLoan(loan: PlacedLoan, found: FoundParents): boolean {
      const { source, line, row } = loan;
      const isReplayed = row.history_from !== undefined;
      if (!isReplayed && !hasEvents) return false;
      const key = JSON.stringify(found.ids);
      if (!parents.has(key)) parents.set(key, found);
      keepLabels('loans', loan);
      kept.loans.add(row.loan_number);
      if (isReplayed) kept.replayed.add(row.loan_number);
      store.add(row.loan_number, { file: 'loans', source, line, parents: key, row });
      count += 1;
      return true;
    },

    /** Adds a row of a loan, after all loans. Returns what is wrong with the row by itself. */
    addRow(row: CheckedRow): BookFinding[] {
      const { file, values } = row;
      if (!isFileOfLoan(file)) return [];
      const { loan_number } = values as BookRow<FileOfLoan>;
      const isNeeded = file === 'history' ? kept.replayed : kept.loans;
      if (!isNeeded.has(loan_number)) return [];
      const findings = file === 'events' ? refusedFacts(row) : [];
      if (findings.length > 0) incomplete.add(loan_number);
      const hash = hashOf(loan_number);
      const of_loan = (counts.get(hash) ?? 0) + 1;
      counts.set(hash, of_loan);
      if (of_loan > TRANSACTIONS_MAX) {
        // So many events are boarded, but not compared.
        incomplete.add(loan_number);
        return file === 'history' && of_loan === TRANSACTIONS_MAX + 1 ? [tooMany(row)] : findings;
      }
      keepLabels(file, row);
      store.add(loan_number, toKept(file, row));
      return findings;
    },

    /** A line of the loan could not be read, so that its balances cannot be compared. */
    markIncomplete: (loan_number: string) => void incomplete.add(loan_number),

    count: () => count,

    /** Checks one loan after the other. `today`: the business date. */
    async *checkAll(today: string): AsyncGenerator<CheckedHistory> {
      let done = 0;
      for (const rows of store.takeLoans()) {
        const loan = rows.find((one) => one.file === 'loans');
        const found = parents.get(loan?.parents ?? '');
        if (!loan || !found) continue;
        const transactions = rows.filter((one) => one.file === 'history');
        yield checkOne(
          {
            row: loan.row,
            place: placed(loan),
            transactions,
            places: transactions.map(placed),
            events: rows.filter((one) => one.file === 'events'),
            schedule: rows.filter((one) => one.file === 'schedules'),
            found,
            isIncomplete: incomplete.has(loan.row.loan_number),
          },
          options,
          today,
        );
        done += 1;
        if (done % TURN === 0) await turn();
      }
    },
  };
}

/** As little as the replay needs: an export has fifty such rows for a loan. */
function toKept(file: FileOfLoan, { source, line, values }: CheckedRow): Kept {
  if (file === 'history') return { file, source, line, values: values as BookRow<'history'> };
  if (file === 'events') {
    const { event_id, kind, effective_date, facts } = values as BookRow<'events'>;
    return { file, values: { event_id, kind, effective_date, facts } };
  }
  const {
    loan_number: _,
    paid_amount: __,
    paid_date: ___,
    ...row
  } = values as BookRow<'schedules'>;
  return { file, values: row };
}

function refusedFacts({ values, ...place }: CheckedRow): BookFinding[] {
  try {
    assertEventFacts(values as BookRow<'events'>);
    return [];
  } catch (error) {
    if (error instanceof Invalid) return refusalsOf(error, place);
    throw error;
  }
}

const tooMany = ({ source, line, labelOf }: RowPlace): BookFinding => ({
  file: source,
  line,
  column: labelOf('loan_number'),
  code: 'refused',
  severity: 'error',
  reason: `A history that is replayed has at most ${TRANSACTIONS_MAX} transactions. Begin it later with \`history_from\` and its opening balances.`,
});

type OneLoan = {
  row: LoanRow;
  place: RowPlace;
  transactions: readonly Placed<'history'>[];
  places: readonly RowPlace[];
  events: readonly { values: EventRow }[];
  schedule: readonly { values: InstallmentRow }[];
  found: FoundParents;
  isIncomplete: boolean;
};

function checkOne(loan: OneLoan, options: ImportOptions, today: string): CheckedHistory {
  const { row, place, events, found, isIncomplete } = loan;
  const findings: BookFinding[] = [];
  try {
    const input = boardingInput(row, NO_BORROWER, found);
    const terms = termsFor(input, found.parents);
    if (events.length === 0) {
      const switches = switchesOf(options);
      findings.push(...warningsOf({ ...place, row }, { terms, today, switches }));
    }
    if (isIncomplete) return { findings, figures: statedFigures(row) };
    if (events.length === 0 && row.history_from === undefined) {
      const owed = checkLoan({ today }, input, found.parents);
      return { findings, figures: { status: row.status, ...owed } };
    }
    const { replayed, differences } = replay(loan, input, { terms, today });
    findings.push(...differences.map((one) => differs(one, loan, options, today)));
    return { findings, figures: figuresOf(row, replayed) };
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    findings.push(...refusalsOf(error, place, loan.places));
    return { findings, figures: statedFigures(row) };
  }
}

/** The loan at the end of its events or, without events, of its history. */
function replay(
  { row, transactions, events, schedule }: OneLoan,
  stated: Boarding,
  { terms, today }: { terms: Terms; today: string },
): ComparedLoan {
  if (events.length === 0) {
    const input = { ...stated, ...historyOf(row, transactions) };
    checkBoarding({ today }, input);
    return replayAndCompare(input, terms, readHistory(terms, input, today), today);
  }
  const input = boardingWithEvents(stated, row, []);
  checkBoarding({ today }, input);
  const { history } = broughtHistory(valuesOf(events), valuesOf(schedule));
  return replayAndCompare(input, terms, history, today);
}

const valuesOf = <Row>(rows: readonly { values: Row }[]): Row[] => rows.map(({ values }) => values);

function differs(
  { field, stated, computed }: BalanceDifference,
  { place, places, events }: OneLoan,
  { accept_difference = false }: ImportOptions,
  today: string,
): BookFinding {
  // The events of an export are complete, so that a difference is never right.
  const isAccepted = accept_difference && events.length === 0;
  const remedy =
    events.length > 0
      ? 'Export the book again, or correct the line.'
      : isAccepted
        ? 'The loan is boarded with the balance of its history.'
        : 'Correct the history, the line or the product, or accept the differences of all loans: --accept-difference, over HTTP accept_difference.';
  return {
    ...placeOfField(field, place, places),
    code: 'history_differs',
    severity: isAccepted ? 'warning' : 'error',
    reason: `States ${stated}, and the ${events.length > 0 ? 'events leave' : 'history leaves'} ${computed} on ${today}. ${remedy}`,
  };
}

const figuresOf = (row: LoanRow, { state }: ComparedLoan['replayed']): LoanFigures => ({
  status: row.status,
  principal: state.principal_balance,
  interest: state.accrued_interest,
  fees: state.outstanding_fees,
  charged_off: state.charge_off_balance,
  ...statedOf(row),
});
