import type { DatabasePool } from 'slonik';
import type { Log } from '../../jobs/log.ts';
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
  let runs = new Map<string, JobRun>();
  let errors: FailedAttempt[] = [];
  const flushErrors = async () => {
    if (errors.length === 0) return;
    const batch = errors;
    errors = [];
    try {
      await kept.recordAttemptErrors(owner, batch);
    } catch (error) {
      errors = [...batch, ...errors].slice(0, ERRORS_MAX);
      throw error;
    }
  };
  const flush = async () => {
    await flushErrors();
    if (runs.size === 0) return;
    const batch = runs;
    runs = new Map();
    try {
      await kept.recordRuns(owner, [...batch.values()]);
    } catch (error) {
      // Saves them with the next batch.
      for (const run of batch.values()) add(run);
      throw error;
    }
  };
  const add = (more: JobRun) => {
    const { task } = more;
    const known = runs.get(task) ?? {
      task,
      pool,
      runs: 0,
      failures: 0,
      seconds: 0,
      waits: emptyWaitHistogram(),
    };
    runs.set(task, {
      ...known,
      runs: known.runs + more.runs,
      failures: known.failures + more.failures,
      seconds: known.seconds + more.seconds,
      waits: addHistograms(known.waits, more.waits),
    });
  };
  const flushing: Repetition = startRepeating(log, 'job figures', async () => {
    await flush();
    return FLUSH_MS;
  });
  const forgetting = startRepeating(log, 'old job figures', async () => {
    await kept.deleteOldStatistics(owner);
    return EXPIRE_MS;
  });
  return {
    ran: (task, { seconds, waited_seconds, hasFailed }) => {
      const waits = emptyWaitHistogram().with(waitBucket(waited_seconds), 1);
      add({ task, pool, runs: 1, failures: hasFailed ? 1 : 0, seconds, waits });
      jobSeconds.observe({ pool, task, outcome: hasFailed ? 'failed' : 'done' }, seconds);
    },
    tried: (attempt) => {
      if (errors.length < ERRORS_MAX) errors.push(attempt);
    },
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
      await flush().catch((error: Error) => {
        log.warn({ err: error }, 'the last job figures are lost');
      });
    },
  };
}
