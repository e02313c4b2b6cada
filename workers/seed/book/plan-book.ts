import { addDays, addMonths, dateParts } from '../../../jobs/dates.ts';
import { buildSchedule, type ScheduleRow } from '../../../jobs/loans/arithmetic/amortize.ts';
import { openBytesAsTree } from '../../../jobs/files/file-tree.ts';
import { inventTape } from '../../demo/invent-tape.ts';
import { nextRandom, seedRandom, type RandomSequence } from '../../demo/random.ts';
import { readTape, type TapeRow } from '../../demo/read-tape.ts';
import { rewindToOrigination } from '../../demo/tape-loans.ts';
import { kindOf, type Kind } from './kinds.ts';

/** The days that the book is serviced after its loans were boarded. */
export const BOOK_DAYS = 75;

export type PlannedPayment = { date: string; amount: string };

/** A loan of the book: its terms at boarding, and what the borrower pays until the end. */
export type BookLoan = {
  kind: Kind;
  row: TapeRow;
  /** The due dates of the serviced days. */
  dues: readonly string[];
  payments: readonly PlannedPayment[];
};

/**
 * Plans a book: invented borrowers and loans that another servicer serviced until `start`. The same number
 * and date always give the same book, and a larger book starts with the loans of a smaller one.
 */
export async function planBook(loans: number, start: string): Promise<BookLoan[]> {
  await using tape = await openBytesAsTree(Buffer.from(inventTape(loans)), 'tape.csv');
  const { rows } = await readTape(tape);
  return rows.map((row, index) => planLoan(row, index, start));
}

function planLoan(invented: TapeRow, index: number, start: string): BookLoan {
  const random = seedRandom(`book ${index}`);
  const kind = kindOf(index);
  const loan_number = `BOOK-${String(index + 1).padStart(4, '0')}`;
  const term_months = kind.story === 'matured' ? 12 : invented.term_months;
  const dues = duesAfter(start, dueDayOf(kind, index, start));
  const paidMonths =
    kind.story === 'matured' ? 12 - dues.length : monthsBefore(random, term_months);
  const first_payment_date = addMonths(dues[0] ?? start, -paidMonths);
  const origination_date = addMonths(first_payment_date, -1);
  const { principal_amount: principal, interest_rate } = invented;
  const schedule = buildSchedule({
    principal,
    interest_rate,
    payment_frequency: 'monthly',
    number_of_payments: term_months,
    start_date: origination_date,
    first_payment_date,
    installment_rounding: 'up',
  });
  const behind = Math.max(0, kind.missed - dues.length);
  const paid = schedule.slice(0, paidMonths - behind);
  const payment_amount = schedule[0]?.payment_amount ?? principal;
  const row: TapeRow = {
    ...rewindToOrigination({ ...invented, borrower_external_id: `book-${index + 1}` }),
    ...balanceAfter(paid, principal, origination_date),
    loan_number,
    term_months,
    origination_date,
    first_payment_date,
    payment_amount,
    status: 'active',
    source_status: 'Current',
  };
  return { kind, row, dues, payments: planPayments(kind, dues, payment_amount, random, start) };
}

/**
 * Due days spread over the month. An unpaid installment is due 10 to 14 days before the end, so that the
 * number of missed installments decides the bucket.
 */
function dueDayOf({ missed }: Kind, index: number, start: string): number {
  if (missed === 0) return 1 + ((index * 11) % 28);
  return Math.min(28, dateParts(addDays(start, BOOK_DAYS - 10 - (index % 5))).day);
}

/** Loans of all ages, with at least one year left and at least eight installments in the past. */
const monthsBefore = (random: RandomSequence, term: number) =>
  Math.min(8 + Math.floor(nextRandom(random) * 30), Math.max(1, term - 4));

const balanceAfter = (paid: readonly ScheduleRow[], principal: string, from: string) => ({
  current_principal_balance: paid.at(-1)?.ending_balance ?? principal,
  paid_through_date: paid.at(-1)?.due_date ?? from,
});

/** The due dates on that day of the month, after boarding and before the end. */
function duesAfter(start: string, day: number): string[] {
  const { day: present } = dateParts(start);
  const thisMonth = `${start.slice(0, 8)}${String(day).padStart(2, '0')}`;
  const first = day > present ? thisMonth : addMonths(thisMonth, 1);
  const end = addDays(start, BOOK_DAYS);
  return [0, 1, 2].map((months) => addMonths(first, months)).filter((due) => due < end);
}

const SLOW_DAYS = 6;

/** Payments of the installments that are not missed: up to three days early, or some days late. */
function planPayments(
  { story, missed }: Kind,
  dues: readonly string[],
  amount: string,
  random: RandomSequence,
  start: string,
): PlannedPayment[] {
  const end = addDays(start, BOOK_DAYS);
  return dues
    .slice(0, Math.max(0, dues.length - missed))
    .map((due) => {
      const shift = story === 'slow_payer' ? SLOW_DAYS : -Math.floor(nextRandom(random) * 4);
      const date = addDays(due, shift);
      return { date: date < start ? start : date, amount };
    })
    .filter(({ date }) => date < end);
}
