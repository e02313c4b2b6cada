import { z } from 'zod';
import { prepared, sql, deferred, type Transaction } from '../database/db.ts';

const LOCK = sql.fragment`pg_advisory_xact_lock(hashtextextended('close ' || app.current_tenant(), 0))`;

/**
 * Serializes planning a close and finishing it within a tenant. No transaction may change a loan of the
 * tenant in the meantime.
 */
export const lockClose = (tx: Transaction) =>
  tx.query(deferred(sql.typeAlias('void')`select ${LOCK}`));

const IsDone = z.object({ is_done: z.boolean() });

/** The chunk's morning work is unfinished: ended reliefs, or statements of a month. */
const hasMorningWork = sql.fragment`(unbilled_month is not null or has_ended_reliefs)`;

/** A chunk of the run is not closed yet, or its morning work is unfinished. */
const isUnfinished = (runId: string) => sql.fragment`
  exists (
    select from cob_chunks where run_id = ${runId} and (done_at is null or ${hasMorningWork})
  )
`;

export const isRunDone = (tx: Transaction, runId: string) =>
  tx.oneFirst(prepared(sql.type(IsDone)`select not ${isUnfinished(runId)} as is_done`));

/**
 * Like isRunDone, but also takes the close lock when all chunks are done. If a chunk is at work, the
 * statement does not wait.
 */
export const lockIfComplete = (tx: Transaction, runId: string) =>
  tx.oneFirst(
    prepared(sql.type(IsDone)`
    select case when ${isUnfinished(runId)} then false else ${LOCK}::text is not null end as is_done
  `),
  );

const Run = z.object({
  id: z.string(),
  cob_date: z.string(),
  through_date: z.string(),
  status: z.string(),
  chunks_total: z.int(),
});
export type Run = z.output<typeof Run>;

const RUN = sql.fragment`id, cob_date, through_date, status, chunks_total`;

const RunToFinish = Run.extend({
  written: z.array(z.string()),
});
export type RunToFinish = z.output<typeof RunToFinish>;

export const findRun = (tx: Transaction, id: string) =>
  tx.maybeOne(
    prepared(sql.type(RunToFinish)`
    select ${RUN}, array(
      select loan_id from cob_changed_loans as written
      where written.cob_date = cob_runs.cob_date and status <> 'finished' order by loan_id
    ) as written
    from cob_runs where id = ${id}
  `),
  );

/** Extends a running close. It continues with the added days after its current day. */
export const extendRun = (tx: Transaction, id: string, through: string) =>
  tx.query(
    deferred(sql.typeAlias('void')`
    update cob_runs set through_date = greatest(through_date, ${through}::date) where id = ${id}
  `),
  );

/**
 * Creates a run for the day with its chunks, which are ranges of loan ids. The last chunk is open-ended, so
 * it includes a loan that is funded in the meantime.
 */
export async function createRun(
  tx: Transaction,
  day: string,
  through: string,
  chunkSize: number,
): Promise<Run> {
  return tx.one(
    prepared(sql.type(Run)`
    with bounds as (
      select id from (
        select id, row_number() over (order by id) as position
        from loans where status in ('active', 'charged_off')
      ) as numbered
      where (position - 1) % ${chunkSize}::integer = 0 and position > 1
    ), edges as (
      select '00000000-0000-0000-0000-000000000000'::uuid as first_loan_id
      union all select id from bounds
    ), ranges as (
      select row_number() over (order by first_loan_id)::integer as chunk, first_loan_id,
             lead(first_loan_id) over (order by first_loan_id) as before_loan_id
      from edges
    ), run as (
      insert into cob_runs (cob_date, through_date, chunks_total)
      select ${day}, ${through}, count(*) from ranges
      returning *
    ), chunks as (
      insert into cob_chunks (run_id, chunk, cob_date, first_loan_id, before_loan_id)
      select run.id, ranges.chunk, run.cob_date, ranges.first_loan_id, ranges.before_loan_id
      from run cross join ranges
    )
    -- Creates the month's partition now. If the first chunk created it, all other chunks would wait for it.
    select ${RUN}, app.ensure_accrual_month(run.cob_date) as month from run
  `),
  );
}

const Chunk = z.object({
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
export type Chunk = z.output<typeof Chunk>;

const CHUNK = sql.fragment`first_loan_id, before_loan_id, cob_date, is_accrued, done_at, unbilled_month,
  has_ended_reliefs`;

export const findChunk = (tx: Transaction, runId: string, number: number) =>
  tx.maybeOne(
    prepared(sql.type(Chunk)`
    select ${CHUNK} from cob_chunks where run_id = ${runId} and chunk = ${number}
  `),
  );

/**
 * Locks and returns the chunk if its interest is not posted yet. Writers of its loans wait until this
 * transaction ends. Also ensures that the day's month has a partition of interest_accruals.
 */
export const lockChunkToAccrue = (tx: Transaction, runId: string, number: number) =>
  tx.maybeOne(
    prepared(sql.type(Chunk)`
    select ${CHUNK}, app.ensure_accrual_month(cob_date) as month
    from cob_chunks where run_id = ${runId} and chunk = ${number} and not is_accrued
    for update
  `),
  );

/**
 * The loan belongs to the chunk. Postgres does not derive a range condition through a join, so apply it to
 * the ids of both joined tables.
 */
export const isInChunk = (
  { first_loan_id, before_loan_id }: Pick<Chunk, 'first_loan_id' | 'before_loan_id'>,
  id = sql.fragment`loan.id`,
) => sql.fragment`
  ${id} >= ${first_loan_id} and (${before_loan_id}::uuid is null or ${id} < ${before_loan_id}::uuid)
`;

const Half = z.object({ first_loan_id: z.string(), loans: z.int() });

/**
 * The first loan id of the second half of the chunk, and the number of loans in the chunk; null if the
 * chunk is empty.
 */
export const findSecondHalf = (tx: Transaction, chunk: Chunk) =>
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

/**
 * Finishes the run: writes the totals of its chunks and the number of quarantined loans. Resolves
 * quarantines of earlier runs unless they failed again in this run.
 */
export const finishRun = (tx: Transaction, runId: string) =>
  tx.query(
    deferred(sql.typeAlias('void')`
    with taken_up as (
      update cob_loan_errors as error set resolved_at = now()
      where error.resolved_at is null and error.run_id <> ${runId}
        and not exists (
          select from cob_loan_errors as again
          where again.run_id = ${runId} and again.loan_id = error.loan_id and again.step = error.step
        )
    )
    update cob_runs
    set status = 'finished', finished_at = now(), chunks_done = chunks_total,
        loans = totals.loans, interest = totals.interest,
        parked = (select count(*) from cob_loan_errors where run_id = ${runId} and resolved_at is null)
    from (
      select coalesce(sum(loans), 0)::integer as loans, coalesce(sum(interest), 0) as interest
      from cob_chunks where run_id = ${runId}
    ) as totals
    where id = ${runId}
  `),
  );

const Day = z.object({
  day: z.string(),
  current_run_id: z.string().nullable(),
  morning_run: z.string().nullable(),
});

/**
 * The current business date (an earlier statement of the transaction may have read an older one), its run
 * if the day is being closed, and the run of the day before while its chunks still prepare the morning.
 */
export const currentDay = (tx: Transaction) =>
  tx.one(
    prepared(sql.type(Day)`
    select app.business_date() as day, (
      select id from cob_runs where cob_date = app.business_date()
    ) as current_run_id, (
      select run_id from cob_chunks
      where cob_date = app.business_date() - 1 and ${hasMorningWork} limit 1
    ) as morning_run
  `),
  );
