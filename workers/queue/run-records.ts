import type { DatabasePool } from 'slonik';
import type { Log } from '../../jobs/monitoring/log.ts';
import {
  addHistograms,
  emptyWaitHistogram,
  waitBucket,
} from '../../jobs/operations/wait-histogram.ts';
import * as kept from '../../sql/queue/workers.ts';
import type { Failure, JobRun, FailedAttempt } from '../../sql/queue/workers.ts';
import { jobSeconds, jobsFailedForGood } from '../processes/job-metrics.ts';
import { startRepeating, type Repetition } from './repeat.ts';
import { requestIdOf } from './tasks.ts';

const FLUSH_MS = 5_000;
const EXPIRE_MS = 3_600_000;
const ERROR_LENGTH_MAX = 2_000;
/** The maximum number of errors kept between two flushes. */
const ERRORS_MAX = 1_000;

export type RunTotals = { seconds: number; waited_seconds: number; hasFailed: boolean };

/**
 * Job statistics, failed attempts, and jobs that failed for good. Statistics and attempts are saved in
 * batches.
 */
export type RunRecords = {
  ran(task: string, run: RunTotals): void;
  tried(attempt: FailedAttempt): void;
  failedForGood(failure: Failure): Promise<void>;
  stop(): Promise<void>;
};

export function openRunRecords(owner: DatabasePool, log: Log, pool: string): RunRecords {
  const unsaved = createUnsavedRecords(owner, pool);
  const flushing: Repetition = startRepeating(log, 'job figures', async () => {
    await unsaved.flush();
    return FLUSH_MS;
  });
  const forgetting = startRepeating(log, 'old job figures', async () => {
    await kept.deleteOldStatistics(owner);
    return EXPIRE_MS;
  });
  return {
    ran: (task, { seconds, waited_seconds, hasFailed }) => {
      const waits = emptyWaitHistogram().with(waitBucket(waited_seconds), 1);
      unsaved.addRuns({ task, pool, runs: 1, failures: hasFailed ? 1 : 0, seconds, waits });
      jobSeconds.observe({ pool, task, outcome: hasFailed ? 'failed' : 'done' }, seconds);
    },
    tried: unsaved.addAttempt,
    failedForGood: async (failure) => {
      const error = failure.error.slice(0, ERROR_LENGTH_MAX);
      jobsFailedForGood.inc({ pool, task: failure.task });
      await kept.recordJobFailure(owner, { ...failure, error });
      const { job_id, task, attempts } = failure;
      const request_id = requestIdOf(failure.payload);
      log.error({ job_id, task, request_id, attempts }, 'a job failed for good');
    },
    stop: async () => {
      await Promise.all([flushing.stop(), forgetting.stop()]);
      await unsaved.flush().catch((error: Error) => {
        log.warn({ err: error }, 'the last job figures are lost');
      });
    },
  };
}

/** Runs by task and failed attempts until they are saved. What could not be saved stays for the next flush. */
function createUnsavedRecords(owner: DatabasePool, pool: string) {
  let runs = new Map<string, JobRun>();
  let attempts: FailedAttempt[] = [];

  const addRuns = (more: JobRun) => {
    const { task } = more;
    const known = runs.get(task) ?? emptyRun(task, pool);
    runs.set(task, {
      ...known,
      runs: known.runs + more.runs,
      failures: known.failures + more.failures,
      seconds: known.seconds + more.seconds,
      waits: addHistograms(known.waits, more.waits),
    });
  };
  const addAttempt = (attempt: FailedAttempt) => {
    if (attempts.length < ERRORS_MAX) attempts.push(attempt);
  };

  async function flushAttempts() {
    if (attempts.length === 0) return;
    const batch = attempts;
    attempts = [];
    try {
      await kept.recordAttemptErrors(owner, batch);
    } catch (error) {
      attempts = [...batch, ...attempts].slice(0, ERRORS_MAX);
      throw error;
    }
  }
  async function flushRuns() {
    if (runs.size === 0) return;
    const batch = runs;
    runs = new Map();
    try {
      await kept.recordRuns(owner, [...batch.values()]);
    } catch (error) {
      for (const run of batch.values()) addRuns(run);
      throw error;
    }
  }
  const flush = async () => {
    await flushAttempts();
    await flushRuns();
  };
  return { addRuns, addAttempt, flush };
}

const emptyRun = (task: string, pool: string): JobRun => ({
  task,
  pool,
  runs: 0,
  failures: 0,
  seconds: 0,
  waits: emptyWaitHistogram(),
});
