import { addDays } from '../../dates.ts';
import type { Terms } from '../../loans/arithmetic/terms.ts';
import type { EarlierTransaction } from '../../loans/boarding/history-input.ts';
import { translateHistory } from '../../loans/boarding/translate-history.ts';
import type { EventOf } from '../../loans/engine/events.ts';
import { originalSchedule, type BoardedLoan } from '../../loans/schedule/boarded-schedule.ts';
import { columnsOf, type BookRow } from '../format/book-files.ts';
import { toFinding } from '../format/checks/check-book.ts';
import type { Issue } from '../format/checks/issue.ts';
import { createRecordsIndex } from '../format/checks/known-records.ts';
import { createKeyCheck } from '../format/checks/repeated-keys.ts';
import { FINDING_CODES, type Finding } from '../format/findings.ts';
import { hasFile, sizeOf, type Book } from '../format/reading/book.ts';
import { readRows } from '../format/reading/read-rows.ts';
import type { BookLoan } from './book-loan.ts';
import { statesFigures } from './differences.ts';
import type { Figures } from './figures.ts';
import type { StudiedLoan } from './find-conventions.ts';

const KNOWN_COLUMNS: ReadonlySet<string> = new Set(
  (['loans', 'history', 'figures'] as const).flatMap((name) => Object.keys(columnsOf(name))),
);

/** The mistakes that a stored message names. */
const NAMED_MAX = 10;

/** The files of the book have mistakes. `findings` names the first of them. */
export class BookUnreadable extends Error {
  readonly findings: readonly Finding[];

  constructor(found: readonly Finding[]) {
    const findings = inFileOrder(found);
    super(findings.map(({ file, line, reason }) => `${file}, line ${line}: ${reason}`).join('\n'));
    this.findings = findings;
  }

  /** The message without the contents of the file, which may be about persons: to store and to show. */
  withoutContents(): string {
    const named = this.findings.slice(0, NAMED_MAX).map(({ file, line, column, code }) => {
      const place = column !== null && KNOWN_COLUMNS.has(column) ? `, ${column}` : '';
      return `${file}, line ${line}${place}: ${FINDING_CODES[code].about}`;
    });
    const others = this.findings.length - named.length;
    return [...named, ...(others > 0 ? ['Further lines have mistakes, too.'] : [])].join('\n');
  }
}

/** Repeated keys are found after the other mistakes of a file. */
function inFileOrder(findings: readonly Finding[]): Finding[] {
  const files = [...new Set(findings.map(({ file }) => file))];
  return findings.toSorted(
    (one, other) => files.indexOf(one.file) - files.indexOf(other.file) || one.line - other.line,
  );
}

/** A loan of the book that cannot be compared, and the reason. `missing_loan`: loans.csv does not have it. */
export type UncomputedLoan = {
  loan_number: string;
  kind: 'missing_loan' | 'not_compared';
  reason: string;
};

/** A book is read in parts of about this size, so that memory stays flat. Each part reads the files once more. */
const BYTES_PER_PART = 96 * 2 ** 20;
const FINDINGS_MAX = 50;

/** A studied loan, and how many days of the file are left out: those before its history or without a figure. */
export type ReadLoan = StudiedLoan & { days_not_compared: number };

export type StudyOptions = {
  /** The terms of a loan's product, before the loan's own rate and term. Null: there is no such product. */
  termsOf: (productCode: string | undefined) => Terms | null;
  /** Ignores figures after this day. */
  through?: string | null;
  onUncomputed?: (loan: UncomputedLoan) => void;
  bytesPerPart?: number;
};

type Collected = {
  row: BookRow<'loans'> | null;
  history: EarlierTransaction[];
  figures: Figures[];
};

type Name = 'loans' | 'history' | 'figures';

/** All rows of a loan are in memory together: enough for a transaction or a figure on each day of 50 years. */
const ROWS_OF_LOAN_MAX = 20_000;

/** The loans of a book with their histories and the figures of the old system, from loans.csv, history.csv and figures.csv. */
export async function* readStudiedLoans(
  book: Book,
  { termsOf, through = null, onUncomputed = () => {}, bytesPerPart = BYTES_PER_PART }: StudyOptions,
): AsyncGenerator<ReadLoan> {
  const parts = Math.max(1, Math.ceil(sizeOf(book) / bytesPerPart));
  for (let part = 0; part < parts; part += 1) {
    const collected = await collectPart(book, { part, parts, through });
    for (const [loan_number, loan] of collected) {
      if (loan.row === null) {
        onUncomputed({ loan_number, kind: 'missing_loan', reason: 'loans.csv has no such loan.' });
        continue;
      }
      const terms = termsOf(loan.row.product_code);
      const studied =
        terms === null
          ? `There is no product ${loan.row.product_code}.`
          : toStudiedLoan(loan.row, loan, terms);
      if (typeof studied === 'string')
        onUncomputed({ loan_number, kind: 'not_compared', reason: studied });
      else yield studied;
    }
  }
}

/** What the other system says about a loan. */
export type FiguresOfLoan = { loan_number: string; theirs: readonly Figures[] };

/**
 * The figures of a file for each loan. A book without figures.csv gives the balances of loans.csv, as of `asOf`.
 */
export async function* readFigures(
  book: Book,
  { through, asOf, bytesPerPart = BYTES_PER_PART }: FigureOptions,
): AsyncGenerator<FiguresOfLoan> {
  const parts = Math.max(1, Math.ceil(sizeOf(book) / bytesPerPart));
  const files = hasFile(book, 'figures') ? (['figures'] as const) : (['loans'] as const);
  for (let part = 0; part < parts; part += 1) {
    const collected = await collectPart(book, { part, parts, through }, files);
    for (const [loan_number, { row, figures }] of collected) {
      const theirs = row === null ? figures : [balancesOf(row, asOf)];
      yield { loan_number, theirs: theirs.toSorted(byDay) };
    }
  }
}

export type FigureOptions = { through: string | null; asOf: string; bytesPerPart?: number };

/** Each row of figures in the order of the file. Rows with a mistake are left out. */
export async function* statedFigures(
  book: Book,
  { through, asOf }: FigureOptions,
): AsyncGenerator<{ loan_number: string; figures: Figures }> {
  if (!hasFile(book, 'figures')) {
    for await (const { row } of readRows(book, 'loans'))
      if (row !== null) yield { loan_number: row.loan_number, figures: balancesOf(row, asOf) };
    return;
  }
  for await (const { row } of readRows(book, 'figures'))
    if (row !== null && (through === null || row.as_of_date <= through))
      yield { loan_number: row.loan_number, figures: toFigures(row) };
}

const byDay = (one: Figures, other: Figures) => (one.as_of_date < other.as_of_date ? -1 : 1);

function balancesOf(row: BookRow<'loans'>, as_of_date: string): Figures {
  const { charge_off_amount, current_principal_balance: balance } = row;
  const isChargedOff = row.status === 'charged_off';
  return {
    as_of_date,
    // Other systems leave the balance of a loan that is charged off in its old column.
    principal: isChargedOff ? null : balance,
    charged_off: isChargedOff ? (charge_off_amount ?? balance) : null,
    interest: row.accrued_interest ?? null,
    fees: row.outstanding_fees ?? null,
    next_due_date: row.next_due_date ?? null,
    days_past_due_range: row.days_past_due_range ?? null,
    installment: row.payment_amount ?? null,
    paid_principal: row.paid_principal ?? null,
    paid_interest: row.paid_interest ?? null,
    paid_fees: row.paid_late_fees ?? null,
    paid_total: row.paid_total ?? null,
    recovered: row.recovered_amount ?? null,
    last_payment_date: row.last_payment_date ?? null,
    status: row.status,
  };
}

async function collectPart(
  book: Book,
  { part, parts, through }: { part: number; parts: number; through: string | null },
  files: readonly Name[] = ['loans', 'history', 'figures'],
): Promise<Map<string, Collected>> {
  const loans = new Map<string, Collected>();
  const findings: Finding[] = [];
  const report = (...found: Finding[]) => {
    findings.push(...found.filter(({ severity }) => severity === 'error'));
    if (findings.length > FINDINGS_MAX) throw new BookUnreadable(findings.slice(0, FINDINGS_MAX));
  };
  const loanOf = (loan_number: string): Collected | null => {
    if (partOf(loan_number, parts) !== part) return null;
    const known = loans.get(loan_number) ?? { row: null, history: [], figures: [] };
    loans.set(loan_number, known);
    return known;
  };
  for (const name of files) {
    if (!hasFile(book, name)) continue;
    const index = createRecordsIndex();
    const keys = createKeyCheck(name, index);
    for await (const line of readRows(book, name)) {
      report(...line.findings);
      const loan = line.row === null ? null : loanOf(line.row.loan_number);
      if (line.row === null || loan === null) continue;
      const repeated = keys.add(line);
      if (repeated !== null) report(toFinding(line, repeated));
      else if (name === 'loans') index.add(name, line.row.loan_number, { line: line.line });
      addRow(loan, name, line.row, through);
      if (loan.history.length + loan.figures.length > ROWS_OF_LOAN_MAX)
        throw new BookUnreadable([toFinding(line, TOO_MANY_ROWS)]);
    }
    if (!keys.hasSuspects()) continue;
    for await (const line of readRows(book, name)) {
      const repeated = keys.confirm(line);
      if (repeated !== null) report(toFinding(line, repeated));
    }
  }
  if (findings.length > 0) throw new BookUnreadable(findings);
  return loans;
}

const TOO_MANY_ROWS: Issue = {
  column: 'loan_number',
  code: 'too_many_rows',
  reason: `The loan has more than ${ROWS_OF_LOAN_MAX} transactions and figures. Send fewer days.`,
};

function addRow(loan: Collected, name: Name, row: BookRow<Name>, through: string | null) {
  if (name === 'loans') loan.row = row as BookRow<'loans'>;
  if (name === 'history') {
    const { loan_number: _, ...transaction } = row as BookRow<'history'>;
    loan.history.push(transaction);
  }
  if (name !== 'figures') return;
  const figures = toFigures(row as BookRow<'figures'>);
  if (through === null || figures.as_of_date <= through) loan.figures.push(figures);
}

function toFigures({ loan_number: _, ...figures }: BookRow<'figures'>): Figures {
  return figures as Figures;
}

/** A small hash, so that each part gets its share of the loans in any order of the files. */
function partOf(loanNumber: string, parts: number): number {
  let hash = 0;
  for (let at = 0; at < loanNumber.length; at += 1)
    hash = (hash * 31 + loanNumber.charCodeAt(at)) % 1_000_003;
  return hash % parts;
}

/** The loan, or the reason why its figures cannot be computed. */
function toStudiedLoan(
  row: BookRow<'loans'>,
  { history, figures }: Collected,
  product: Terms,
): ReadLoan | string {
  const { loan_number, interest_rate, term_months, principal_amount, origination_date } = row;
  const first_payment_date = row.first_payment_date ?? null;
  const payment_day =
    row.payment_day ?? (first_payment_date ? Number(first_payment_date.slice(8)) : null);
  const terms = { ...product, interest_rate, term_months, payment_day };
  const contract: BoardedLoan = {
    principal_amount,
    origination_date,
    first_payment_date,
    payment_amount: row.payment_amount ?? null,
  };
  const theirs = figures.toSorted(byDay);
  const opening = openingOf(row, history, theirs);
  if (typeof opening === 'string') return opening;
  const { start, isOfOrigination } = opening;
  const schedule = originalSchedule(terms, contract);
  const today = theirs.at(-1)?.as_of_date ?? '9999-12-31';
  const known = history.filter(({ date }) => date >= start.effective_date && date <= today);
  const { events, refusals } = translateHistory(known, { terms, schedule, boarding: start, today });
  const [refusal] = refusals;
  if (refusal !== undefined) return `Transaction ${refusal.transaction_id}: ${refusal.reason}`;
  const loan: BookLoan = {
    loan_number,
    terms,
    contract,
    start,
    events: events.map(({ event }) => event),
    schedule: null,
    ...(!opening.isOfOrigination && { paid_before: NOT_KNOWN }),
  };
  const { effective_date } = start;
  const isCovered = ({ as_of_date }: Figures) =>
    isOfOrigination ? as_of_date >= effective_date : as_of_date > effective_date;
  const compared = theirs.filter((day) => statesFigures(day) && isCovered(day));
  if (compared.length === 0) return 'figures.csv states no figure of it that can be compared.';
  const days_not_compared =
    theirs.filter((day) => day !== opening.figures).length - compared.length;
  return { loan, theirs: compared, days_not_compared };
}

/** The payments before the history of a loan begins. */
const NOT_KNOWN = { principal: null, interest: null, fees: null, recovered: '0.00' } as const;

type Opening = {
  start: EventOf<'boarding'>;
  isOfOrigination: boolean;
  /** The figures with which the history begins. */
  figures: Figures | null;
};

/**
 * The history begins with the loan, or on `history_from` with the figures that the old system gave for the day before.
 */
function openingOf(
  { origination_date, principal_amount, history_from }: BookRow<'loans'>,
  history: readonly EarlierTransaction[],
  theirs: readonly Figures[],
): Opening | string {
  const base = { id: '0', kind: 'boarding' } as const;
  if (!history_from || history_from <= origination_date) {
    if (history.length === 0 && history_from === undefined) return 'Has no history.';
    const isLent = history.some(({ type }) => type === 'disbursement' || type === 'draw');
    const start = {
      ...base,
      effective_date: origination_date,
      principal_balance: isLent ? '0.00' : principal_amount,
      paid_through_date: addDays(origination_date, -1),
    };
    return { start, isOfOrigination: true, figures: null };
  }
  const before = addDays(history_from, -1);
  const figures = theirs.find(({ as_of_date }) => as_of_date === before);
  if (!figures?.principal)
    return `Its history begins on ${history_from}, so figures.csv needs its principal of ${before}.`;
  const start = {
    ...base,
    effective_date: history_from,
    principal_balance: figures.principal,
    accrued_interest: figures.interest ?? '0.00',
    outstanding_fees: figures.fees ?? '0.00',
    paid_through_date: figures.next_due_date ? addDays(figures.next_due_date, -1) : before,
  };
  return { start, isOfOrigination: false, figures };
}
