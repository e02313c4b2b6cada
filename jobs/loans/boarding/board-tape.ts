import * as tape from '../../../sql/loans/boarding/tape.ts';
import { mapConcurrently } from '../../../sql/database/batch-by-transaction.ts';
import { Conflict, Invalid } from '../../errors.ts';
import type { Work } from '../../work.ts';
import { readLoanParents, type LoanParents } from '../origination/create.ts';
import { boardLoan } from './board-loan.ts';
import type { Boarding } from './boarding-input.ts';
import type { TapeIssue, TapeRow } from './boarding-tape.ts';

/**
 * The tape has at least one invalid line, so none of its loans is boarded. `refusals` lists every reason.
 */
export class TapeRejected extends Error {
  readonly refusals: readonly TapeIssue[];

  constructor(refusals: readonly TapeIssue[]) {
    super(
      `The tape was refused for ${refusals.length === 1 ? 'one reason' : `${refusals.length} reasons`}.`,
    );
    this.refusals = refusals;
  }
}

export type BoardingOptions = {
  /** The tape's file name, stored in the history of its loans. */
  file: string;
  /** The product code for rows without one. Default: the tenant's first product. */
  product?: string | undefined;
  /** Called after each batch with the number of loans boarded so far. */
  onProgress?: (done: number) => void;
};

/**
 * Loans boarded concurrently, which share SQL statements. Larger batches need more memory and are hardly
 * faster.
 */
const LOANS_PER_TRANSACTION = 100;

/** Fills the address of a borrower when the tape gives only the state. */
const UNKNOWN = { street: 'Unknown', city: 'Unknown', postal_code: '00000' };

/**
 * Boards all loans of a tape with their borrowers, or none. Throws `TapeRejected` with the reasons for all
 * invalid rows, and `Conflict` while another tape is being boarded.
 */
export async function boardTape(
  work: Work,
  rows: readonly TapeRow[],
  { file, product, onProgress }: BoardingOptions,
): Promise<string[]> {
  if (!(await tape.tryLockBoarding(work.tx)))
    throw new Conflict('Another tape is being boarded. Try again after it.', 'in_progress');
  const { fit, refusals } = await partitionBoardable(work, rows, product);
  const ids: string[] = [];
  for (let from = 0; from < fit.length; from += LOANS_PER_TRANSACTION) {
    const part = fit.slice(from, from + LOANS_PER_TRANSACTION);
    for (const boarded of await mapConcurrently(part, (loan) => boardRow(work, loan))) {
      if (typeof boarded === 'string') ids.push(boarded);
      else refusals.push(...boarded);
    }
    onProgress?.(from + part.length);
  }
  if (refusals.length > 0)
    throw new TapeRejected(refusals.toSorted((one, other) => one.line - other.line));
  await tape.auditBoarding(work.tx, ids, file);
  return ids;
}

type BoardableRow = { line: number; input: Boarding; parents: LoanParents };

/** Splits the rows into boardable ones, with their product and settings, and refusals. */
async function partitionBoardable(
  work: Work,
  rows: readonly TapeRow[],
  product: string | undefined,
) {
  const find = await createParentFinder(work, product);
  const numbers = rows.map(({ loan_number }) => loan_number);
  const taken = new Set(
    (await tape.findLoansByNumber(work.tx, numbers)).map((loan) => loan.loan_number),
  );
  const borrowers = await tape.addBorrowers(work.tx, uniqueBorrowers(rows));
  const idOf = new Map(borrowers.map(({ external_id, id }) => [external_id, id]));
  const known = new Map<string, LoanParents>();
  const refusals: TapeIssue[] = [];
  const fit: BoardableRow[] = [];
  for (const row of rows) {
    const { line, loan_number, borrower_external_id } = row;
    const parentIds = find(row);
    if (parentIds === null)
      refusals.push(tapeIssue(line, 'product_code', 'This product does not exist.'));
    if (taken.has(loan_number))
      refusals.push(tapeIssue(line, 'loan_number', 'A loan with this number already exists.'));
    if (parentIds === null || taken.has(loan_number)) continue;
    const borrower_id = idOf.get(borrower_external_id) ?? '';
    const parents = known.get(parentIds.product_id) ?? (await readLoanParents(work, parentIds));
    known.set(parentIds.product_id, parents);
    fit.push({ line, input: toBoarding(row, { borrower_id, ...parentIds }), parents });
  }
  return { fit, refusals };
}

const tapeIssue = (line: number, column: string, reason: string): TapeIssue => ({
  line,
  column,
  reason,
});

/**
 * `boardLoan` throws `Invalid` before it writes anything, so the transaction can continue with the next
 * rows.
 */
async function boardRow(work: Work, { line, input, parents }: BoardableRow) {
  try {
    return await boardLoan(work, input, parents);
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    return Object.entries(error.errors).map(([column, reason]) => tapeIssue(line, column, reason));
  }
}

async function createParentFinder({ tx }: Work, wanted: string | undefined) {
  const offered = await tape.listBoardableProducts(tx);
  const program = await tape.firstProgram(tx);
  return ({ product_code = wanted }: TapeRow) => {
    const found = product_code ? offered.find(({ code }) => code === product_code) : offered[0];
    const program_id = found?.program_id ?? program;
    return found && program_id ? { product_id: found.id, program_id } : null;
  };
}

function uniqueBorrowers(rows: readonly TapeRow[]): tape.NewBorrower[] {
  const unique = new Map(rows.map((row) => [row.borrower_external_id, row]));
  return [...unique.values()].map((row) => ({
    external_id: row.borrower_external_id,
    first_name: row.borrower_first_name,
    last_name: row.borrower_last_name,
    state: row.borrower_state,
    street: row.borrower_street ?? UNKNOWN.street,
    city: row.borrower_city ?? UNKNOWN.city,
    postal_code: row.borrower_postal_code ?? UNKNOWN.postal_code,
    email: row.borrower_email ?? null,
  }));
}

type ParentIds = Pick<Boarding, 'borrower_id' | 'program_id' | 'product_id'>;

function toBoarding(row: TapeRow, parents: ParentIds): Boarding {
  const { purpose, source_status, paid_total, paid_principal, paid_interest, paid_late_fees } = row;
  const history = { paid_total, paid_principal, paid_interest, paid_late_fees };
  return {
    ...parents,
    loan_number: row.loan_number,
    principal_amount: row.principal_amount,
    current_principal_balance: row.current_principal_balance,
    interest_rate: row.interest_rate,
    term_months: row.term_months,
    origination_date: row.origination_date,
    first_payment_date: row.first_payment_date,
    status: row.status,
    accrued_interest: row.accrued_interest,
    outstanding_fees: row.outstanding_fees,
    paid_through_date: row.paid_through_date,
    payment_amount: row.payment_amount,
    has_balloon: row.has_balloon ?? false,
    charge_off_date: row.charge_off_date,
    charge_off_amount: row.charge_off_amount,
    first_delinquency_date: row.first_delinquency_date,
    metadata: {
      ...(purpose && { purpose }),
      tape: { source_status: source_status ?? null, ...history },
    },
  };
}
