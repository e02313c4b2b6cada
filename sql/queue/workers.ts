import type { CommonQueryMethods } from 'slonik';
import { z } from 'zod';
import { sql } from '../database/db.ts';

/**
 * The workers' own records: processes, slots, job costs and permanent failures. They do not belong to
 * tenants; use a connection with the worker's role.
 */
export type OwnerConnection = Pick<CommonQueryMethods, 'any' | 'maybeOne' | 'one' | 'query'>;

export type WorkerProcess = {
  pool_id: string;
  name: string;
  host: string;
  pid: number;
  /** The number of concurrent jobs, as this process currently knows it. */
  slots: number;
};

/** Registers the worker. Repeated as its heartbeat, so a deleted row is restored. */
export const recordHeartbeat = (
  owner: OwnerConnection,
  { pool_id, name, host, pid, slots }: WorkerProcess,
) =>
  owner.query(sql.typeAlias('void')`
    insert into app.worker_pools (pool_id, name, host, pid, slots)
    values (${pool_id}, ${name}, ${host}, ${pid}, ${slots})
    on conflict (pool_id) do update set heartbeat_at = now(), slots = excluded.slots
  `);

/** A session-level lock. If another session can take it, the worker's session has ended. */
export const acquireLivenessLock = (owner: OwnerConnection, poolId: string) =>
  owner.query(sql.typeAlias('void')`select pg_advisory_lock(app.worker_lock(${poolId}))`);

export const releaseLivenessLock = (owner: OwnerConnection, poolId: string) =>
  owner.query(sql.typeAlias('void')`select pg_advisory_unlock(app.worker_lock(${poolId}))`);

/** Removes a worker that shut down cleanly, unless it still has locked jobs. */
export const deregisterWorker = (owner: OwnerConnection, poolId: string) =>
  owner.query(sql.typeAlias('void')`
    delete from app.worker_pools where pool_id = ${poolId}
      and not exists (select from graphile_worker._private_jobs where locked_by = ${poolId})
  `);

const SweptPool = z.object({ dead_pool: z.string(), unlocked_jobs: z.string() });

export const sweepDeadWorkers = (
  owner: OwnerConnection,
  silenceSeconds: number,
  ended: readonly string[] = [],
) =>
  owner.any(sql.type(SweptPool)`
    select * from app.sweep_dead_workers(
      make_interval(secs => ${silenceSeconds}), ${sql.array([...ended], 'text')}
    )
  `);

const OtherWorker = z.object({ pool_id: z.string(), pid: z.int() });

/** The workers on one machine, whose processes another worker there can check. */
export const findWorkersOnHost = (owner: OwnerConnection, host: string) =>
  owner.any(sql.type(OtherWorker)`select pool_id, pid from app.worker_pools where host = ${host}`);

const Locked = z.object({ id: z.string() });

/** Jobs that this worker has had locked for a while, according to the queue. */
export const findJobsLockedBy = (owner: OwnerConnection, poolId: string) =>
  owner.any(sql.type(Locked)`
    select id from graphile_worker._private_jobs
    where locked_by = ${poolId} and locked_at < now() - interval '15 seconds'
  `);

/** Releases jobs that this worker never started, including their attempts and the queues they held. */
export const releaseJobs = (owner: OwnerConnection, poolId: string, jobIds: readonly string[]) =>
  owner.query(sql.typeAlias('void')`
    with released as (
      update graphile_worker._private_jobs
      set locked_at = null, locked_by = null, attempts = greatest(0, attempts - 1)
      where locked_by = ${poolId} and id = any(${sql.array([...jobIds], 'int8')})
      returning job_queue_id
    )
    update graphile_worker._private_job_queues as queue set locked_at = null, locked_by = null
    from released where queue.id = released.job_queue_id and queue.locked_by = ${poolId}
  `);

const Count = z.object({ recorded: z.int() });

export const recordFailedJobs = async (owner: OwnerConnection): Promise<number> =>
  (await owner.one(sql.type(Count)`select app.record_failed_jobs() as recorded`)).recorded;

export type Failure = {
  job_id: string;
  task: string;
  payload: unknown;
  attempts: number;
  error: string;
};

/**
 * Records a permanent failure. The job keeps its queue, priority and key, and has no attempts left, because
 * an invalid payload would fail again.
 */
export const recordJobFailure = (owner: OwnerConnection, failure: Failure) =>
  owner.query(sql.typeAlias('void')`
    with ended as (
      update graphile_worker._private_jobs set attempts = max_attempts
      where id = ${failure.job_id} and attempts < max_attempts
    )
    insert into app.failed_jobs (job_id, task, payload, attempts, error)
    values (${failure.job_id}, ${failure.task}, ${JSON.stringify(failure.payload ?? null)}::jsonb,
      ${failure.attempts}, ${failure.error})
    on conflict (job_id) do update
      set error = excluded.error, attempts = excluded.attempts, payload = excluded.payload,
        failed_at = now(), retried_at = null, handled_at = null
  `);

const UnhandledFailure = z.object({
  id: z.string(),
  task: z.string(),
  payload: z.unknown(),
  attempts: z.int(),
  is_canceled: z.boolean(),
});
export type UnhandledFailure = z.output<typeof UnhandledFailure>;

/** Permanent failures that the dependent records have not been notified of. */
export const findUnhandledFailures = (owner: OwnerConnection, limit: number) =>
  owner.any(sql.type(UnhandledFailure)`
    select id, task, payload, attempts, is_canceled from app.failed_jobs
    where handled_at is null and retried_at is null order by failed_at limit ${limit}
  `);

export const markFailureHandled = (owner: OwnerConnection, id: string) =>
  owner.query(sql.typeAlias('void')`
    update app.failed_jobs set handled_at = now() where id = ${id}
  `);

export type JobRun = {
  task: string;
  pool: string;
  runs: number;
  failures: number;
  seconds: number;
  /** Number of jobs by waiting time, with the bounds of jobs/operations/wait-histogram.ts. */
  waits: readonly number[];
};

/** Adds finished runs to the statistics of the day and the quarter of an hour. */
export const recordRuns = (owner: OwnerConnection, runs: readonly JobRun[]) =>
  owner.query(sql.typeAlias('void')`
    with run as (
      select * from jsonb_to_recordset(${JSON.stringify(runs)}::jsonb)
        as run (task text, pool text, runs bigint, failures bigint, seconds numeric, waits bigint[])
    ), of_day as (
      insert into app.job_runs as known (task, pool, runs, failures, seconds)
      select task, pool, runs, failures, seconds from run
      on conflict (task, pool, day) do update set
        runs = known.runs + excluded.runs,
        failures = known.failures + excluded.failures,
        seconds = known.seconds + excluded.seconds
    )
    insert into app.job_quarters as known (task, pool, quarter, runs, failures, seconds, waits)
    select task, pool, date_bin('15 minutes', now(), '2000-01-01Z'), runs, failures, seconds, waits from run
    on conflict (quarter, task, pool) do update set
      runs = known.runs + excluded.runs,
      failures = known.failures + excluded.failures,
      seconds = known.seconds + excluded.seconds,
      waits = (
        select array_agg(coalesce(pair.old, 0) + coalesce(pair.new, 0) order by pair.place)
        from unnest(known.waits, excluded.waits) with ordinality as pair (old, new, place)
      )
  `);

export type FailedAttempt = {
  job_id: string;
  task: string;
  tenant_id: string | null;
  attempt: number;
  error: string;
};

/** Stores the errors of failed attempts, independent of the jobs' later outcome. */
export const recordAttemptErrors = (owner: OwnerConnection, tried: readonly FailedAttempt[]) =>
  owner.query(sql.typeAlias('void')`
    insert into app.job_errors (job_id, task, tenant_id, attempt, error)
    select job_id, task, tenant_id, attempt, left(error, 2000)
    from jsonb_to_recordset(${JSON.stringify(tried)}::jsonb)
      as tried (job_id bigint, task text, tenant_id uuid, attempt integer, error text)
  `);

/** Deletes errors older than 14 days and quarters older than 8 days, in limited batches. */
export const deleteOldStatistics = (owner: OwnerConnection) =>
  owner.query(sql.typeAlias('void')`
    with errors as (
      delete from app.job_errors where id in (
        select id from app.job_errors where failed_at < now() - interval '14 days'
        order by failed_at limit 5000)
    )
    delete from app.job_quarters where quarter < now() - interval '8 days'
  `);

const TakenSlot = z.object({ taken: z.int() });

/** Turns at most `batch` events into deliveries. Returns the number of events. */
export const createWebhookDeliveries = async (
  owner: OwnerConnection,
  batch: number,
): Promise<number> =>
  (await owner.one(sql.type(TakenSlot)`select app.create_deliveries(${batch}) as taken`)).taken;

/** Locks at most `wanted` jobs for a worker. Runs on the queue library's own connection. */
export const TAKE_JOBS = 'select * from app.take_jobs($1, $2, $3, $4)';

const Slots = z.object({ slots: z.int() });

/** The configured slots of a pool or sub-pool; null if not configured. */
export const findPoolSlots = async (owner: OwnerConnection, pool: string): Promise<number | null> =>
  (await owner.maybeOne(sql.type(Slots)`select slots from app.pool_slots where pool = ${pool}`))
    ?.slots ?? null;

const Tenant = z.object({ id: z.string(), slug: z.string() });

/** Every tenant with jobs in this queue, without any tenant data. */
export const listAllTenants = (owner: OwnerConnection) =>
  owner.any(sql.type(Tenant)`select id, slug from app.all_tenants()`);
