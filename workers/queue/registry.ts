import os from 'node:os';
import type { DatabasePool } from 'slonik';
import type { Log } from '../../jobs/monitoring/log.ts';
import * as records from '../../sql/queue/workers.ts';
import { abortableDelay, startRepeating, type Repetition } from './repeat.ts';

const HEARTBEAT_MS = 5_000;
/** Six missed heartbeats. A dead worker is found within 40 seconds, including the sweep's interval. */
const SILENCE_SECONDS = 30;
const SWEEP_MS = 5_000;
/**
 * After an outage all heartbeats are old and all locks are free until the workers have registered again. So
 * no worker is swept until Postgres has answered for this long. Registering takes half of this time.
 */
const STEADY_MS = 10_000;
const FAILURES_MS = 30_000;
const ORPHANS_MS = 10_000;

/**
 * Registers a worker and maintains its two signs of life: a heartbeat and a session lock. Both use one
 * connection, which is replaced if it breaks.
 */
export function maintainRegistration(
  owner: DatabasePool,
  log: Log,
  signature: () => records.WorkerProcess,
): Repetition {
  const { pool_id } = signature();
  const heartbeat = startRepeating(log, 'heartbeat', async (stopping) => {
    await owner.connect(async (connection) => {
      await records.recordHeartbeat(connection, signature());
      await records.acquireLivenessLock(connection, pool_id);
      while (!stopping.aborted) {
        await abortableDelay(HEARTBEAT_MS, stopping);
        await records.recordHeartbeat(connection, signature());
      }
      await records.releaseLivenessLock(connection, pool_id);
    });
    return 0;
  });
  return {
    stop: async () => {
      await heartbeat.stop();
      await records.deregisterWorker(owner, pool_id).catch((error: Error) => {
        log.warn({ err: error }, 'could not sign off; a sweeper will');
      });
    },
  };
}

/**
 * Finds dead workers and failed jobs. Every worker does this for all workers, so one surviving worker is
 * enough.
 */
export function startSweeps(owner: DatabasePool, log: Log): Repetition[] {
  let steadySince: number | undefined;
  const deadSweep = startRepeating(log, 'sweep', async () => {
    const neighbours = await records
      .findWorkersOnHost(owner, os.hostname())
      .catch((error: unknown) => {
        steadySince = undefined;
        throw error;
      });
    steadySince ??= performance.now();
    if (performance.now() - steadySince < STEADY_MS) return SWEEP_MS;

    const ended = neighbours.filter(({ pid }) => hasEnded(pid)).map(({ pool_id }) => pool_id);
    const swept = await records.sweepDeadWorkers(owner, SILENCE_SECONDS, ended);
    for (const { dead_pool, unlocked_jobs } of swept) {
      log.error({ dead_pool, unlocked_jobs }, 'a worker died; its jobs run again');
    }
    if (swept.length > 0) await recordFailures(owner, log);
    return SWEEP_MS;
  });
  const failureSweep = startRepeating(log, 'failures', async () => {
    await recordFailures(owner, log);
    return FAILURES_MS;
  });
  return [deadSweep, failureSweep];
}

function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

async function recordFailures(owner: DatabasePool, log: Log) {
  const recorded = await records.recordFailedJobs(owner);
  if (recorded > 0) log.error({ jobs: recorded }, 'jobs failed for good');
}

/**
 * Returns jobs to the queue that are locked by this worker but never reached it, because the connection
 * broke. A job must be missing twice in a row: a job that just ended stays locked until it is reported.
 */
export function returnOrphans(
  owner: DatabasePool,
  log: Log,
  poolId: string,
  isHeld: (jobId: string) => boolean,
): Repetition {
  let missed = new Set<string>();
  return startRepeating(log, 'orphans', async () => {
    const locked = await records.findJobsLockedBy(owner, poolId);
    const missing = locked.map(({ id }) => id).filter((id) => !isHeld(id));
    const orphans = missing.filter((id) => missed.has(id));
    missed = new Set(missing);
    if (orphans.length > 0) {
      await records.releaseJobs(owner, poolId, orphans);
      log.warn({ jobs: orphans }, 'gave back jobs whose fetching was cut off');
    }
    return ORPHANS_MS;
  });
}
