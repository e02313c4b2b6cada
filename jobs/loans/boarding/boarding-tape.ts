import { Big } from 'big.js';
import { z } from 'zod';
import { date, money, positiveMoney, rate, text, words, freeText } from '../../../sql/types.ts';
import { isTooFarOff } from '../arithmetic/due-dates.ts';
import { JURISDICTIONS } from '../products/program-types.ts';
import { CsvBroken, readCsv } from './read-csv.ts';

/** Why a line of a tape cannot be taken. A column of null means the line as a whole. */
export type Refusal = { line: number; column: string | null; reason: string };

const STATUSES = ['active', 'paid_off', 'charged_off'] as const;
const cents = money.default('0.00');

/** One loan of a tape. What is not required may be missing as a column, or empty. */
const Columns = z.object({
  loan_number: words.max(50),
  borrower_external_id: words.max(200),
  borrower_first_name: words.max(100),
  borrower_last_name: words.max(100),
  borrower_state: z.enum(JURISDICTIONS, 'Is not a state like NY.'),
  principal_amount: positiveMoney,
  current_principal_balance: money,
  interest_rate: rate,
  term_months: z
    .string()
    .regex(/^\d{1,3}$/, 'Must be a whole number of months.')
    .transform(Number)
    .refine((months) => months >= 1 && months <= 600, 'Must be from 1 to 600.'),
  payment_amount: positiveMoney,
  origination_date: date,
  first_payment_date: date,
  status: z.enum(STATUSES, `Must be one of ${STATUSES.join(', ')}.`),
  source_status: text.optional(),
  paid_total: cents,
  paid_principal: cents,
  paid_interest: cents,
  paid_late_fees: cents,
  purpose: freeText.optional(),
  product_code: words.max(50).optional(),
  accrued_interest: money.optional(),
  outstanding_fees: money.optional(),
  paid_through_date: date.optional(),
  charge_off_date: date.optional(),
  charge_off_amount: money.optional(),
  borrower_email: z.email('Is not an email address.').toLowerCase().optional(),
  borrower_street: words.optional(),
  borrower_city: words.optional(),
  borrower_postal_code: words.max(20).optional(),
});

export type TapeRow = z.output<typeof Columns> & { line: number };
export type Tape = { rows: TapeRow[]; refusals: Refusal[] };

const REQUIRED = Object.entries(Columns.shape)
  .filter(([, column]) => !column.safeParse(undefined).success)
  .map(([name]) => name);

/** Reads a tape: the rows that are right in themselves, and every reason against the others. */
export function readTape(csv: string): Tape {
  try {
    const [head, ...records] = readCsv(csv);
    const names = head?.fields.map((name) => name.trim()) ?? [];
    const missing = REQUIRED.filter((name) => !names.includes(name));
    if (missing.length > 0) return refuse(1, `The columns ${missing.join(', ')} are missing.`);
    if (new Set(names).size < names.length) return refuse(1, 'A column is named twice.');
    if (records.length === 0) return refuse(1, 'The tape holds no loan.');
    return checkTogether(records.map(({ line, fields }) => readRow(names, line, fields)));
  } catch (error) {
    if (error instanceof CsvBroken) return refuse(error.line, error.message);
    throw error;
  }
}

const refuse = (line: number, reason: string): Tape => ({
  rows: [],
  refusals: [{ line, column: null, reason }],
});

function readRow(names: readonly string[], line: number, fields: readonly string[]): Tape {
  if (fields.length !== names.length) {
    return refuse(line, `Has ${fields.length} fields, not ${names.length}.`);
  }
  const given = Object.fromEntries(
    names.map((name, index) => [name, fields[index]?.trim() || undefined]),
  );
  const read = Columns.safeParse(given);
  if (read.success) {
    const row = { ...read.data, line };
    const refusals = contradictions(row);
    return { rows: refusals.length === 0 ? [row] : [], refusals };
  }
  const refusals = read.error.issues.map(({ path: [column], message }) => ({
    line,
    column: String(column),
    reason: given[String(column)] === undefined ? 'Is missing.' : message,
  }));
  return { rows: [], refusals };
}

/** What the columns of one row may not say together. */
function contradictions(row: TapeRow): Refusal[] {
  const found: Refusal[] = [];
  const check = (isWrong: boolean, column: keyof TapeRow, reason: string) => {
    if (isWrong) found.push({ line: row.line, column, reason });
  };
  const { status, origination_date, current_principal_balance: balance } = row;
  const isMore = new Big(balance).gt(row.principal_amount);
  check(isMore, 'current_principal_balance', 'Is more than the principal amount.');
  const isZero = new Big(balance).eq(0);
  check(
    status === 'active' && isZero,
    'current_principal_balance',
    'An active loan owes something.',
  );
  check(
    status === 'paid_off' && !isZero,
    'current_principal_balance',
    'A loan that is paid off owes nothing.',
  );
  check(
    row.first_payment_date < origination_date,
    'first_payment_date',
    'Is before the origination.',
  );
  check(
    isTooFarOff(row.first_payment_date, origination_date),
    'first_payment_date',
    'Is more than 40 years after the origination.',
  );
  const isEarly = (row.paid_through_date ?? origination_date) < origination_date;
  check(isEarly, 'paid_through_date', 'Is before the origination.');
  return found;
}

/** What the rows may not say together: a number twice, or one borrower by two names. */
function checkTogether(tapes: readonly Tape[]): Tape {
  const rows = tapes.flatMap((tape) => tape.rows);
  const refusals = tapes.flatMap((tape) => tape.refusals);
  const numbers = new Map<string, number>();
  const borrowers = new Map<string, TapeRow>();
  for (const row of rows) {
    const { line, loan_number, borrower_external_id } = row;
    const first = numbers.get(loan_number);
    if (first !== undefined)
      refusals.push({ line, column: 'loan_number', reason: `Is on line ${first} already.` });
    numbers.set(loan_number, first ?? line);
    const known = borrowers.get(borrower_external_id) ?? row;
    borrowers.set(borrower_external_id, known);
    if (nameOf(known) !== nameOf(row)) {
      const reason = `Is ${nameOf(known)} on line ${known.line}.`;
      refusals.push({ line, column: 'borrower_external_id', reason });
    }
  }
  return { rows, refusals: refusals.sort((one, other) => one.line - other.line) };
}

const nameOf = (row: TapeRow) => `${row.borrower_first_name} ${row.borrower_last_name}`;
