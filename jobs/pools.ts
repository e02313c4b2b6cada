import type { JobPause } from '../sql/queue/worker-operations.ts';
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

/** A worker whose last heartbeat is older than this is shown as silent. */
const SILENT_SECONDS = 15;

export const isProcessSilent = ({ heartbeat_seconds }: Process) =>
  heartbeat_seconds > SILENT_SECONDS;

export const POOL_STATES = ['running', 'silent', 'paused', 'not running'] as const;

/**
 * The state of every pool, including pools without a process: the waiting jobs of a paused or stopped pool
 * must be visible.
 */
export function summarizePools(
  processes: readonly Process[],
  pauses: readonly JobPause[],
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

/** True if the pause covers a whole pool or sub-pool, and not only one task or tenant. */
export const isWholePoolPause = ({ pool, task, tenant_id }: JobPause, name: string): boolean =>
  pool === name && task === null && tenant_id === null;

/** The pool of a worker, also for a sub-pool such as documents:letters. */
export const poolOfWorker = (name: string): string => name.split(':', 1)[0] ?? name;

/** Whether a pool or sub-pool may have this name. The database has the same check. */
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
