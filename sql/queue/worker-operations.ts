import { z } from 'zod';
import { sql } from '../database/db.ts';
import type { OwnerConnection } from './workers.ts';

/** What people ask of the workers: who runs, what is paused, what failed, once more please. */
const Pause = z.object({ kind: z.enum(['pool', 'task']), name: z.string(), reason: z.string() });
export type Pause = z.output<typeof Pause>;

export const pauses = (owner: OwnerConnection) =>
  owner.any(sql.type(Pause)`
    select kind, name, reason from app.worker_pauses order by kind, name
  `);

export const pause = (owner: OwnerConnection, { kind, name, reason }: Pause) =>
  owner.query(sql.typeAlias('void')`
    insert into app.worker_pauses (kind, name, reason) values (${kind}, ${name}, ${reason})
    on conflict (kind, name) do update set reason = excluded.reason
  `);

/** Answers whether it was paused. */
export async function resume(owner: OwnerConnection, { kind, name }: Omit<Pause, 'reason'>) {
  const { rowCount } = await owner.query(sql.typeAlias('void')`
    delete from app.worker_pauses where kind = ${kind} and name = ${name}
  `);
  return rowCount > 0;
}

const Process = z.object({
  pool_id: z.string(),
  name: z.string(),
  host: z.string(),
  pid: z.int(),
  started_at: z.string(),
  heartbeat_seconds: z.int(),
});

export const processes = (owner: OwnerConnection) =>
  owner.any(sql.type(Process)`
    select pool_id, name, host, pid, started_at,
      extract(epoch from now() - heartbeat_at)::integer as heartbeat_seconds
    from app.worker_pools order by name, started_at
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

/** Failures that nobody has retried yet, the newest first. */
export const failures = (owner: OwnerConnection, limit: number) =>
  owner.any(sql.type(Failed)`
    select id, job_id, task, payload, attempts, error, failed_at from app.failed_jobs
    where retried_at is null order by failed_at desc, id limit ${limit}
  `);

const Retried = z.object({ retried: z.boolean() });

export const retry = async (owner: OwnerConnection, failedId: string): Promise<boolean> =>
  (await owner.one(sql.type(Retried)`select app.retry_failed_job(${failedId}::uuid) as retried`))
    .retried;

const RunsToday = z.object({
  task: z.string(),
  pool: z.string(),
  runs: z.string(),
  failures: z.string(),
  seconds: z.string(),
});

export const runsToday = (owner: OwnerConnection) =>
  owner.any(sql.type(RunsToday)`
    select task, pool, runs, failures, seconds from app.job_runs
    where day = current_date order by pool, task
  `);
