import type { DatabasePool } from 'slonik';
import type { Log } from '../../jobs/log.ts';
import { addRuns, recordFailure, type Failure, type Run } from '../../sql/queue/workers.ts';
import { jobSeconds, jobsFailedForGood } from '../processes/health.ts';
import { repeatedly, type Repetition } from './repeatedly.ts';

const FLUSH_MS = 5_000;
const ERROR_LENGTH_MAX = 2_000;

/** What jobs cost and which failed for good, kept in the database in batches. */
export type Records = {
  ran(task: string, seconds: number, hasFailed: boolean): void;
  failedForGood(failure: Failure): Promise<void>;
  stop(): Promise<void>;
};

export function keepRecords(owner: DatabasePool, log: Log, pool: string): Records {
  let runs = new Map<string, Run>();
  const flush = async () => {
    if (runs.size === 0) return;
    const batch = runs;
    runs = new Map();
    try {
      await addRuns(owner, [...batch.values()]);
    } catch (error) {
      // Counted again with the next batch.
      for (const run of batch.values()) add(run);
      throw error;
    }
  };
  const add = (more: Run) => {
    const { task } = more;
    const known = runs.get(task) ?? { task, pool, runs: 0, failures: 0, seconds: 0 };
    runs.set(task, {
      ...known,
      runs: known.runs + more.runs,
      failures: known.failures + more.failures,
      seconds: known.seconds + more.seconds,
    });
  };
  const flushing: Repetition = repeatedly(log, 'job figures', async () => {
    await flush();
    return FLUSH_MS;
  });
  return {
    ran: (task, seconds, hasFailed) => {
      add({ task, pool, runs: 1, failures: hasFailed ? 1 : 0, seconds });
      jobSeconds.observe({ pool, task, outcome: hasFailed ? 'failed' : 'done' }, seconds);
    },
    failedForGood: async (failure) => {
      const error = failure.error.slice(0, ERROR_LENGTH_MAX);
      jobsFailedForGood.inc({ pool, task: failure.task });
      await recordFailure(owner, { ...failure, error });
      const { job_id, task, attempts } = failure;
      log.error({ job_id, task, attempts }, 'a job failed for good');
    },
    stop: async () => {
      await flushing.stop();
      await flush().catch((error: Error) => {
        log.warn({ err: error }, 'the last job figures are lost');
      });
    },
  };
}
