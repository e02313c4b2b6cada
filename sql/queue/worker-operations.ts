import { z } from 'zod';
import { sql } from '../database/db.ts';
import type { OwnerConnection } from './workers.ts';

/** Queries for operating the workers: processes, pauses, slots and failures. */
const JobPause = z.object({
  pool: z.string().nullable(),
  task: z.string().nullable(),
  tenant_id: z.string().nullable(),
  tenant: z.string().nullable(),
  /** Operators and the affected tenant see the reason. */
  reason: z.string().nullable(),
  paused_by: z.string().nullable(),
  paused_at: z.string(),
});
export type JobPause = z.output<typeof JobPause>;

/** A pause target: the jobs that match all given values. */
export type PauseTarget = {
  pool?: string | undefined;
  task?: string | undefined;
  tenant_id?: string | undefined;
};

/** Who made the change and why. Kept permanently with the change. */
export type ChangeReason = { who: string; why: string };

/**
 * The pauses that the caller may see, oldest first. A tenant sees pauses of pools and kinds, and its own.
 */
export const listPauses = (asked: OwnerConnection) =>
  asked.any(sql.type(JobPause)`
    select pool, task, tenant_id, tenant, reason, paused_by, paused_at from app.list_pauses()
  `);

export const pauseWork = (
  owner: OwnerConnection,
  { pool, task, tenant_id }: PauseTarget,
  by: ChangeReason,
) =>
  owner.query(sql.typeAlias('void')`
    select app.pause_work(
      ${pool ?? null}, ${task ?? null}, ${tenant_id ?? null}::uuid, ${by.who}, ${by.why}
    )
  `);

const Resumed = z.object({ resumed: z.boolean() });

/** Returns whether exactly that target was paused. */
export const resumeWork = async (
  owner: OwnerConnection,
  { pool, task, tenant_id }: PauseTarget,
  by: ChangeReason,
) =>
  (
    await owner.one(sql.type(Resumed)`
      select app.resume_work(
        ${pool ?? null}, ${task ?? null}, ${tenant_id ?? null}::uuid, ${by.who}, ${by.why}
      ) as resumed
    `)
  ).resumed;

const Slots = z.object({
  pool: z.string(),
  slots: z.int(),
  set_by: z.string(),
  set_at: z.string(),
});

/** Pools and sub-pools with configured slots; only for operators. */
export const listPoolSlots = (owner: OwnerConnection) =>
  owner.any(sql.type(Slots)`select pool, slots, set_by, set_at from app.pool_slots order by pool`);

/** Without slots, the pool's processes return to the number that they were started with. */
export const setSlots = (
  owner: OwnerConnection,
  pool: string,
  slots: number | null,
  by: ChangeReason,
) =>
  owner.query(sql.typeAlias('void')`
    select app.set_slots(${pool}, ${slots}::integer, ${by.who}, ${by.why})
  `);

const SubPool = z.object({ name: z.string(), tasks: z.string().array() });

export const listSubPools = (owner: OwnerConnection) =>
  owner.any(sql.type(SubPool)`
    select name, array_agg(task order by task) as tasks from app.sub_pools group by name order by name
  `);

/** Gives a sub-pool exactly these kinds of jobs. Without kinds, the sub-pool is deleted. */
export const defineSubPool = (
  owner: OwnerConnection,
  name: string,
  tasks: readonly string[],
  by: ChangeReason,
) =>
  owner.query(sql.typeAlias('void')`
    select app.define_sub_pool(${name}, ${sql.array([...tasks], 'text')}, ${by.who}, ${by.why})
  `);

const Process = z.object({
  name: z.string(),
  heartbeat_seconds: z.int(),
  slots: z.int().nullable(),
  /** The worker process; only operators see it. */
  pool_id: z.string().nullable(),
  host: z.string().nullable(),
  pid: z.int().nullable(),
  started_at: z.string().nullable(),
});

export const listProcesses = (asked: OwnerConnection) =>
  asked.any(sql.type(Process)`
    select pool_id, name, host, pid, started_at, slots, heartbeat_seconds from app.list_processes()
  `);

const Failed = z.object({
  id: z.string(),
  job_id: z.string(),
  task: z.string(),
  payload: z.unknown(),
  attempts: z.int(),
  error: z.string(),
  failed_at: z.string(),
});

/** Failures without a retry, newest first. */
export const listFailures = (owner: OwnerConnection, limit: number) =>
  owner.any(sql.type(Failed)`
    select id, job_id, task, payload, attempts, error, failed_at from app.failed_jobs
    where retried_at is null order by failed_at desc, id limit ${limit}
  `);

const Retried = z.object({ retried: z.boolean() });

export const retryFailedJob = async (owner: OwnerConnection, failedId: string): Promise<boolean> =>
  (await owner.one(sql.type(Retried)`select app.retry_failed_job(${failedId}::uuid) as retried`))
    .retried;

const RunsToday = z.object({
  task: z.string(),
  pool: z.string(),
  runs: z.string(),
  failures: z.string(),
  seconds: z.string(),
});

export const listRunsToday = (owner: OwnerConnection) =>
  owner.any(sql.type(RunsToday)`
    select task, pool, runs, failures, seconds from app.job_runs
    where day = current_date order by pool, task
  `);
