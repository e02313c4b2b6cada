import { Big } from 'big.js';
import { z } from 'zod';
import {
  date,
  money,
  positiveMoney,
  rate,
  text,
  requiredText,
  freeText,
} from '../../../sql/types.ts';
import { isFirstPaymentTooLate } from '../arithmetic/due-dates.ts';
import { JURISDICTIONS } from '../products/program-types.ts';
import { type ByteChunks, CsvSyntaxError, readCsv } from '../../files/read-csv.ts';

/** Why a line of a tape is refused. `column` is null if the reason concerns the whole line. */
export type TapeIssue = { line: number; column: string | null; reason: string };

const STATUSES = ['active', 'paid_off', 'charged_off'] as const;
const cents = money.default('0.00');

/** One loan of a tape. An optional column may be missing or empty. */
const Columns = z.object({
  loan_number: requiredText.max(50),
  borrower_external_id: requiredText.max(200),
  borrower_first_name: requiredText.max(100),
  borrower_last_name: requiredText.max(100),
  borrower_state: z.enum(JURISDICTIONS, 'Must be a state code like NY.'),
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
  product_code: requiredText.max(50).optional(),
  accrued_interest: money.optional(),
  outstanding_fees: money.optional(),
  paid_through_date: date.optional(),
  charge_off_date: date.optional(),
  charge_off_amount: money.optional(),
  first_delinquency_date: date.optional(),
  has_balloon: z
    .enum(['true', 'false'], 'Must be true or false.')
    .transform((word) => word === 'true')
    .optional(),
  borrower_email: z.email('Must be an email address.').toLowerCase().optional(),
  borrower_street: requiredText.optional(),
  borrower_city: requiredText.optional(),
  borrower_postal_code: requiredText.max(20).optional(),
});

export type TapeRow = z.output<typeof Columns> & { line: number };
type ParsedTape = { rows: TapeRow[]; refusals: TapeIssue[] };
/** The rows, and the names of unknown columns, which are ignored. */
export type BoardingTape = ParsedTape & { unknown: string[] };

/** One transaction boards a tape, so all rows are in memory: about 1 KB each. */
const LOANS_MAX = 100_000;

const REQUIRED = Object.entries(Columns.shape)
  .filter(([, column]) => !column.safeParse(undefined).success)
  .map(([name]) => name);

const isKnownColumn = (name: string) => Object.hasOwn(Columns.shape, name);

/** Reads a tape as a stream. Returns the valid rows and the reasons against all other rows. */
export async function readTape(bytes: ByteChunks): Promise<BoardingTape> {
  let names: string[] | undefined;
  const read: ParsedTape[] = [];
  try {
    for await (const { line, fields } of readCsv(bytes)) {
      if (names === undefined) {
        names = fields.map((name) => name.trim());
        const reason = headerProblem(names);
        if (reason !== null) return refuseTape(line, reason);
      } else if (read.length === LOANS_MAX) {
        return refuseTape(
          line,
          `A tape can contain at most ${LOANS_MAX} loans. Split it into several tapes.`,
        );
      } else read.push(readRow(names, line, fields));
    }
    if (names === undefined) return refuseTape(1, headerProblem([]) ?? '');
    if (read.length === 0) return refuseTape(1, 'The tape contains no loans.');
    return { ...checkAcrossRows(read), unknown: names.filter((name) => !isKnownColumn(name)) };
  } catch (error) {
    if (error instanceof CsvSyntaxError) return refuseTape(error.line, error.message);
    throw error;
  }
}

function headerProblem(names: readonly string[]): string | null {
  if (names.some((name) => name.includes('\0')))
    return 'The header line is not text. Save the tape as UTF-8.';
  const missing = REQUIRED.filter((name) => !names.includes(name));
  if (missing.length > 0) return `These columns are missing: ${missing.join(', ')}.`;
  const twice = names.find((name, index) => names.indexOf(name) < index);
  return twice === undefined ? null : `The column ${twice || 'without a name'} appears twice.`;
}

const refuseLine = (line: number, reason: string): ParsedTape => ({
  rows: [],
  refusals: [{ line, column: null, reason }],
});

const refuseTape = (line: number, reason: string): BoardingTape => ({
  ...refuseLine(line, reason),
  unknown: [],
});

/** Guessing the encoding could misspell a borrower's name. */
const NO_UTF_8 = 'Contains a character that is not valid UTF-8. Save the tape as UTF-8.';

function readRow(names: readonly string[], line: number, fields: readonly string[]): ParsedTape {
  if (fields.length !== names.length) {
    return refuseLine(line, `Has ${fields.length} fields, not ${names.length}.`);
  }
  const given = Object.fromEntries(
    names.map((name, index) => [name, fields[index]?.trim() || undefined]),
  );
  const notRead = names.filter((name) => isKnownColumn(name) && given[name]?.includes('\uFFFD'));
  if (notRead.length > 0) {
    return { rows: [], refusals: notRead.map((column) => ({ line, column, reason: NO_UTF_8 })) };
  }
  const read = Columns.safeParse(given);
  if (read.success) {
    const row = { ...read.data, line };
    const refusals = findContradictions(row);
    return { rows: refusals.length === 0 ? [row] : [], refusals };
  }
  const refusals = read.error.issues.map(({ path: [column], message }) => ({
    line,
    column: String(column),
    reason: given[String(column)] === undefined ? 'Is missing.' : message,
  }));
  return { rows: [], refusals };
}

/** Finds columns of one row that contradict each other. */
function findContradictions(row: TapeRow): TapeIssue[] {
  const found: TapeIssue[] = [];
  const check = (isWrong: boolean, column: keyof TapeRow, reason: string) => {
    if (isWrong) found.push({ line: row.line, column, reason });
  };
  const { status, origination_date, current_principal_balance: balance } = row;
  const isMore = new Big(balance).gt(row.principal_amount);
  check(isMore, 'current_principal_balance', 'Must not be more than the principal amount.');
  const isZero = new Big(balance).eq(0);
  check(
    status === 'active' && isZero,
    'current_principal_balance',
    'Must be more than zero for an active loan.',
  );
  check(
    status === 'paid_off' && !isZero,
    'current_principal_balance',
    'Must be zero for a loan that is paid off.',
  );
  check(
    row.first_payment_date < origination_date,
    'first_payment_date',
    'Must not be before the origination date.',
  );
  check(
    isFirstPaymentTooLate(row.first_payment_date, origination_date),
    'first_payment_date',
    'Must be within 40 years of the origination date.',
  );
  const isEarly = (row.paid_through_date ?? origination_date) < origination_date;
  check(isEarly, 'paid_through_date', 'Must not be before the origination date.');
  return found;
}

/** Finds rows that contradict each other: a duplicate loan number, or one borrower with two names. */
function checkAcrossRows(tapes: readonly ParsedTape[]): ParsedTape {
  const rows = tapes.flatMap((tape) => tape.rows);
  const refusals = tapes.flatMap((tape) => tape.refusals);
  const numbers = new Map<string, number>();
  const borrowers = new Map<string, TapeRow>();
  for (const row of rows) {
    const { line, loan_number, borrower_external_id } = row;
    const first = numbers.get(loan_number);
    if (first !== undefined)
      refusals.push({ line, column: 'loan_number', reason: `Is already on line ${first}.` });
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
