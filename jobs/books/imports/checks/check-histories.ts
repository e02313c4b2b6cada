import { setImmediate as turn } from 'node:timers/promises';
import { Invalid } from '../../../errors.ts';
import { checkBoarding } from '../../../loans/boarding/check-boarding.ts';
import { termsFor } from '../../../loans/boarding/check-loan.ts';
import { replayAndCompare } from '../../../loans/boarding/check-replayed.ts';
import { readHistory } from '../../../loans/boarding/replay-history.ts';
import type { BookRow } from '../../format/book-files.ts';
import type { CheckedRow } from '../../format/checks/check-book.ts';
import { createKeySet, hashOf } from '../../format/checks/key-set.ts';
import type { LoanRow } from '../book-rows.ts';
import { statedFigures, statedOf, type LoanFigures } from '../control-totals.ts';
import type { BookFinding } from '../finding.ts';
import { placeOfField, type PlacedLoan, type RowPlace } from './history-places.ts';
import type { ImportOptions } from '../import-options.ts';
import { boardingInput, historyOf } from '../loan-input.ts';
import type { FoundParents } from '../loan-parents.ts';
import { createRowStore } from './row-store.ts';

/** A borrower who does not exist yet. The checks do not read the borrower. */
const NO_BORROWER = '00000000-0000-0000-0000-000000000000';

/** Loans after which other work of the process gets its turn. */
const TURN = 20;

/** The rows of one loan are in memory together. A file may have more than one request of the API: one a day for 27 years. */
const TRANSACTIONS_MAX = 10_000;

type KeptLoan = { source: string; line: number; parents: string; row: LoanRow };
type KeptTransaction = { source: string; line: number; values: BookRow<'history'> };
type Kept = { loan: KeptLoan } | { transaction: KeptTransaction };
type LabelOf = RowPlace['labelOf'];

export type CheckedHistory = { findings: BookFinding[]; figures: LoanFigures };

/**
 * Replays the histories of a book as boarding will, and reports what boarding would refuse: transactions, and balances that
 * differ from those that `loans.csv` states. Writes nothing.
 */
export function createHistoryCheck(options: ImportOptions) {
  const store = createRowStore<Kept>();
  const parents = new Map<string, FoundParents>();
  const labels = new Map<string, LabelOf>();
  const replayed = createKeySet();
  const incomplete = new Set<string>();
  /** The transactions of each loan, by the hash of its number. */
  const counts = new Map<number, number>();
  let count = 0;
  const keepLabels = (file: string, { source, labelOf }: RowPlace) => {
    if (!labels.has(`${file} ${source}`)) labels.set(`${file} ${source}`, labelOf);
  };
  const placed = (file: string, { source, line }: { source: string; line: number }): RowPlace => ({
    source,
    line,
    labelOf: labels.get(`${file} ${source}`) ?? ((column) => column),
  });

  return {
    /** Adds a loan whose history is replayed, before the transactions. */
    addLoan(loan: PlacedLoan, found: FoundParents) {
      const { source, line, row } = loan;
      const key = JSON.stringify(found.ids);
      if (!parents.has(key)) parents.set(key, found);
      keepLabels('loans', loan);
      replayed.add(row.loan_number);
      store.add(row.loan_number, { loan: { source, line, parents: key, row } });
      count += 1;
    },

    /** Keeps no more transactions than a loan may have, because those of a loan are in memory together. */
    addTransaction(row: CheckedRow): BookFinding[] {
      const { source, line } = row;
      const values = row.values as BookRow<'history'>;
      const { loan_number } = values;
      if (!replayed.has(loan_number)) return [];
      const hash = hashOf(loan_number);
      const of_loan = (counts.get(hash) ?? 0) + 1;
      counts.set(hash, of_loan);
      if (of_loan > TRANSACTIONS_MAX) {
        incomplete.add(loan_number);
        return of_loan === TRANSACTIONS_MAX + 1 ? [tooMany(row)] : [];
      }
      keepLabels('history', row);
      store.add(loan_number, { transaction: { source, line, values } });
      return [];
    },

    /** A line of the loan could not be read, so that its balances cannot be compared. */
    markIncomplete: (loan_number: string) => void incomplete.add(loan_number),

    count: () => count,

    /** Replays one loan after the other. `today`: the business date. */
    async *checkAll(today: string): AsyncGenerator<CheckedHistory> {
      let done = 0;
      for (const kept of store.takeLoans()) {
        const loan = kept.flatMap((one) => ('loan' in one ? [one.loan] : []))[0];
        const found = parents.get(loan?.parents ?? '');
        if (!loan || !found) continue;
        const transactions = kept.flatMap((one) => ('transaction' in one ? [one.transaction] : []));
        const places = transactions.map((one) => placed('history', one));
        const place = placed('loans', loan);
        yield incomplete.has(loan.row.loan_number)
          ? { findings: [], figures: statedFigures(loan.row) }
          : checkOne({ loan, place, transactions, places, found }, options, today);
        done += 1;
        if (done % TURN === 0) await turn();
      }
    },
  };
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
  loan: KeptLoan;
  place: RowPlace;
  transactions: readonly KeptTransaction[];
  places: readonly RowPlace[];
  found: FoundParents;
};

function checkOne(
  { loan: { row }, place, transactions, places, found }: OneLoan,
  { accept_difference = false }: ImportOptions,
  today: string,
): CheckedHistory {
  const input = { ...boardingInput(row, NO_BORROWER, found), ...historyOf(row, transactions) };
  try {
    checkBoarding({ today }, input);
    const terms = termsFor(input, found.parents);
    const history = readHistory(terms, input, today);
    const { replayed, differences } = replayAndCompare(input, terms, history, today);
    const findings = differences.map(({ field, stated, computed }): BookFinding => {
      const remedy = accept_difference
        ? 'The loan is boarded with the balance of its history.'
        : 'Correct the history, the line or the product, or accept the differences of all loans: --accept-difference, over HTTP accept_difference.';
      return {
        ...placeOfField(field, place, places),
        code: 'history_differs',
        severity: accept_difference ? 'warning' : 'error',
        reason: `States ${stated}, and the history leaves ${computed} on ${today}. ${remedy}`,
      };
    });
    const { state } = replayed;
    return {
      findings,
      figures: {
        status: row.status,
        principal: state.principal_balance,
        interest: state.accrued_interest,
        fees: state.outstanding_fees,
        charged_off: state.charge_off_balance,
        ...statedOf(row),
      },
    };
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    return {
      findings: Object.entries(error.errors).map(([field, reason]) => ({
        ...placeOfField(field, place, places),
        code: 'refused',
        severity: 'error',
        reason,
      })),
      figures: statedFigures(row),
    };
  }
}
