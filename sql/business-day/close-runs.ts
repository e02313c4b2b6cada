import { z } from 'zod';
import { prepared, sql, deferred, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';

/** The runs of the close of business, as the API lists them. A run closes one business date of a tenant. */
export const closeRuns = table({
  name: 'cob_runs',
  rows: sql.fragment`
    select record.id, record.cob_date, record.through_date,
           case when failed.chunks is null then record.status else 'failed' end as status,
           'These chunks failed permanently: ' || failed.chunks || '. An operator can list the reasons '
             || 'with the operation "failed" and run the chunks again with "retry".'
             as failure_reason,
           record.chunks_total,
           (
             select count(*)::integer from cob_chunks as chunk
             where chunk.run_id = record.id and chunk.done_at is not null
           ) as chunks_done,
           record.loans, record.interest, record.quarantined, record.started_at, record.finished_at
    from cob_runs as record
    left join lateral (
      select string_agg(job.payload ->> 'chunk', ', ' order by (job.payload ->> 'chunk')::integer)
               as chunks
      from app.failed_jobs as job
      where job.task = 'close-loans' and job.retried_at is null
        and (record.status = 'running' or exists (
          select from cob_chunks as chunk where chunk.run_id = record.id and (chunk.unbilled_month is not null or chunk.has_ended_reliefs)
        ))
        and job.payload ->> 'run_id' = record.id::text
    ) as failed on true
  `,
});

const RunRow = z.object({
  id: z.string(),
  cob_date: z.string(),
  through_date: z.string(),
  status: z.string(),
  chunks_total: z.int(),
  chunks_done: z.int(),
  loans: z.int(),
  interest: z.string(),
  quarantined: z.int(),
  started_at: z.string(),
  finished_at: z.string().nullable(),
});

export const listLatestRuns = (tx: Transaction, limit: number) =>
  tx.any(
    prepared(sql.type(RunRow)`
    select id, cob_date, through_date, status, chunks_total, chunks_done, loans, interest, quarantined,
           started_at, finished_at
    from cob_runs order by cob_date desc limit ${limit}
  `),
  );

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
 * Like isRunDone, but also takes the close lock if the run is done. If a chunk is unfinished, the statement
 * does not wait.
 */
export const lockCloseIfDone = (tx: Transaction, runId: string) =>
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
  /** Loans that changed after their chunk was closed. */
  changed_loan_ids: z.array(z.string()),
});
export type RunToFinish = z.output<typeof RunToFinish>;

export const findRun = (tx: Transaction, id: string) =>
  tx.maybeOne(
    prepared(sql.type(RunToFinish)`
    select ${RUN}, array(
      select loan_id from cob_changed_loans as changed
      where changed.cob_date = cob_runs.cob_date and status <> 'finished' order by loan_id
    ) as changed_loan_ids
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

/**
 * Finishes the run: writes the totals of its chunks and the number of quarantined loans. Resolves
 * quarantines of earlier runs unless they failed again in this run.
 */
export const finishRun = (tx: Transaction, runId: string) =>
  tx.query(
    deferred(sql.typeAlias('void')`
    with resolved as (
      update cob_loan_errors as error set resolved_at = now()
      where error.resolved_at is null and error.run_id <> ${runId}
        and not exists (
          select from cob_loan_errors as latest
          where latest.run_id = ${runId} and latest.loan_id = error.loan_id and latest.step = error.step
        )
    )
    update cob_runs
    set status = 'finished', finished_at = now(), chunks_done = chunks_total,
        loans = totals.loans, interest = totals.interest,
        quarantined = (select count(*) from cob_loan_errors where run_id = ${runId} and resolved_at is null)
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
  morning_run_id: z.string().nullable(),
});

/**
 * The current business date (an earlier statement of the transaction may have read an older one), its run
 * if the day is being closed, and the run of the day before while its chunks still have morning work.
 */
export const findRunsInProgress = (tx: Transaction) =>
  tx.one(
    prepared(sql.type(Day)`
    select app.business_date() as day, (
      select id from cob_runs where cob_date = app.business_date()
    ) as current_run_id, (
      select run_id from cob_chunks
      where cob_date = app.business_date() - 1 and ${hasMorningWork} limit 1
    ) as morning_run_id
  `),
  );

const Unfinished = z.object({ through_date: z.string(), failure_reason: z.string().nullable() });

/** The run that closes the business date, or the run of the day before while it has morning work. */
export const findUnfinishedRun = (tx: Transaction) =>
  tx.maybeOne(
    sql.type(Unfinished)`
    select run.through_date, run.failure_reason from (${closeRuns.rows}) as run
    where run.id = (
      select id from cob_runs where cob_date = app.business_date()
      union all (
        select run_id from cob_chunks
        where cob_date = app.business_date() - 1 and ${hasMorningWork} limit 1
      )
      limit 1
    )
  `,
  );

/** Lets a running close end with its current day. */
export const stopAfterCurrentDay = (tx: Transaction) =>
  tx.query(sql.typeAlias('void')`
    update cob_runs set through_date = cob_date where status = 'running' and through_date > cob_date
  `);
