import type { Pause } from '../sql/queue/worker-operations.ts';
import { POOLS, type Pool } from './job.ts';
import { allJobs } from './all-jobs.ts';

type Process = { name: string; heartbeat_seconds: number };
type Task = {
  task: string;
  ready: string;
  scheduled: string;
  running: string;
  failed: string;
  oldest_ready: string | null;
};

/** A worker that has not signed for this long is shown as silent; the sweeper looks at it, too. */
const SILENT_SECONDS = 15;

export const isProcessSilent = ({ heartbeat_seconds }: Process) =>
  heartbeat_seconds > SILENT_SECONDS;

export const POOL_STATES = ['running', 'silent', 'paused', 'not running'] as const;

/**
 * How every pool stands, whether or not anybody works in it: a pool that is paused, or has no process,
 * is the one whose waiting jobs people must see.
 */
export function summarizePools(
  processes: readonly Process[],
  pauses: readonly Pause[],
  tasks: readonly Task[],
) {
  return POOLS.map((pool) => {
    const own = processes.filter(({ name }) => poolOfWorker(name) === pool);
    const pause = pauses.find((known) => isWholePoolPause(known, pool));
    const jobs = tasks.filter(({ task }) => poolOfTask(task) === pool);
    const sum = (what: 'ready' | 'scheduled' | 'running' | 'failed') =>
      jobs.reduce((total, job) => total + Number(job[what]), 0);
    const oldest = jobs.flatMap(({ oldest_ready }) => oldest_ready ?? []).toSorted()[0];
    return {
      pool,
      state: poolState(own, pause !== undefined),
      reason: pause?.reason ?? null,
      processes: own.length,
      waiting: sum('ready'),
      scheduled: sum('scheduled'),
      running: sum('running'),
      failed: sum('failed'),
      oldest_waiting: oldest ?? null,
    };
  });
}

/** Whether all of a pool or sub-pool is paused, and not a kind or a tenant of it alone. */
export const isWholePoolPause = ({ pool, task, tenant_id }: Pause, name: string): boolean =>
  pool === name && task === null && tenant_id === null;

/** The pool of a worker that works for it, or for a sub-pool of it such as documents:letters. */
export const poolOfWorker = (name: string): string => name.split(':', 1)[0] ?? name;

/** Whether a pool, or a sub-pool of one, may be called so; the same is checked in the database. */
export const isWorkerName = (name: string): boolean =>
  /^[a-z]{1,20}(:[a-z0-9-]{1,30})?$/.test(name) &&
  POOLS.some((pool) => pool === poolOfWorker(name));

export const poolOfTask = (task: string): Pool | null =>
  allJobs.find(({ name }) => name === task)?.pool ?? null;

export function poolState(
  own: readonly Process[],
  isPaused: boolean,
): (typeof POOL_STATES)[number] {
  if (isPaused) return 'paused';
  if (own.length === 0) return 'not running';
  return own.every(isProcessSilent) ? 'silent' : 'running';
}
