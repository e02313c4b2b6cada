import { z } from 'zod';
import { prepared, sql, deferred, type Transaction } from '../database/db.ts';
import { isInChunk, type LoanIdRange } from '../loans/chunk.ts';

/** A chunk of a run, and which of its steps are done. */
const CloseChunk = z.object({
  first_loan_id: z.string(),
  before_loan_id: z.string().nullable(),
  cob_date: z.string(),
  is_accrued: z.boolean(),
  done_at: z.string().nullable(),
  /** The month that the chunk's loans are still to be billed for. */
  unbilled_month: z.string().nullable(),
  /** Whether reliefs that ended with the day may still be in force on the chunk's loans. */
  has_ended_reliefs: z.boolean(),
});
export type CloseChunk = z.output<typeof CloseChunk>;

const CHUNK = sql.fragment`first_loan_id, before_loan_id, cob_date, is_accrued, done_at, unbilled_month,
  has_ended_reliefs`;

export const findChunk = (tx: Transaction, runId: string, number: number) =>
  tx.maybeOne(
    prepared(sql.type(CloseChunk)`
    select ${CHUNK} from cob_chunks where run_id = ${runId} and chunk = ${number}
  `),
  );

/**
 * Locks and returns the chunk if its interest is not posted yet. Writers of its loans wait until this
 * transaction ends. Also ensures that the day's month has a partition of interest_accruals.
 */
export const lockChunkToAccrue = (tx: Transaction, runId: string, number: number) =>
  tx.maybeOne(
    prepared(sql.type(CloseChunk)`
    select ${CHUNK}, app.ensure_accrual_month(cob_date) as month
    from cob_chunks where run_id = ${runId} and chunk = ${number} and not is_accrued
    for update
  `),
  );

const Half = z.object({ first_loan_id: z.string(), loans: z.int() });

/**
 * The first loan id of the second half of the chunk, and the number of loans in the chunk; null if the
 * chunk is empty.
 */
export const findSecondHalf = (tx: Transaction, chunk: LoanIdRange) =>
  tx.maybeOne(
    prepared(sql.type(Half)`
    select id as first_loan_id, loans from (
      select id, row_number() over (order by id) as position, (count(*) over ())::integer as loans
      from loans as loan where ${isInChunk(chunk)}
    ) as numbered
    where position = loans / 2 + 1
  `),
  );

export const markAccrued = (
  tx: Transaction,
  runId: string,
  number: number,
  accrued: { loans: number; interest: string },
) =>
  tx.query(
    deferred(sql.typeAlias('void')`
    update cob_chunks set is_accrued = true, loans = ${accrued.loans}, interest = ${accrued.interest}::numeric
    where run_id = ${runId} and chunk = ${number}
  `),
  );

export const markChunkDone = (tx: Transaction, runId: string, number: number) =>
  tx.query(
    deferred(sql.typeAlias('void')`
    update cob_chunks set done_at = now() where run_id = ${runId} and chunk = ${number} and done_at is null
  `),
  );
