import type { Pool } from '../../jobs/job.ts';

/** The settings that differ between pools. */
export type PoolSettings = {
  /** Jobs at a time per process, until operators set another number of slots. */
  concurrency: number;
  /**
   * Collects finished jobs for this long and reports them together. If the process is killed meanwhile,
   * these jobs repeat.
   */
  completeTogetherMs?: number;
  /** A job that takes longer fails and can no longer write anything. */
  deadlineMs: number;
  /** Cancels statements that take longer. Default: 15 seconds. */
  statementTimeoutMs?: number;
};

export const POOL_SETTINGS: Record<Pool, PoolSettings> = {
  // A process runs one statement over thousands of loans at a time (`serializeChunkWork`), while its other
  // jobs work on single loans. Some jobs sum up all loans in one statement or go through all of them. With a
  // million loans on a busy machine that takes 15 seconds and 20 minutes.
  ledger: { concurrency: 4, deadlineMs: 60 * 60_000, statementTimeoutMs: 5 * 60_000 },
  // The browser prints one PDF at a time. Meanwhile the second job reads and writes its rows.
  documents: { concurrency: 2, deadlineMs: 5 * 60_000 },
  // Short jobs that mostly wait for other systems, so many run at a time and are reported in batches.
  // Deliveries may repeat, because receivers recognize the id. Throttled receivers use up to 24 slots
  // (app.delivery_job), new receivers up to 24 (jobs/webhooks/receiver-slots.ts).
  outbound: { concurrency: 64, completeTogetherMs: 50, deadlineMs: 2 * 60_000 },
};

/** From the stop signal until running jobs are aborted. */
export const STOP_AFTER_MS = 25_000;
/** From the abort until the process exits. */
export const STOP_GRACE_MS = 3_000;
