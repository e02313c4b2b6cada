import type { Pool } from '../../jobs/job.ts';

/** What differs between the pools, with the reasons; everything else is the same for all. */
export type PoolSettings = {
  /** Jobs at a time in one process, until operations set another number of slots. */
  concurrency: number;
  /** Finished jobs are reported together after this long; a kill within it repeats them. */
  completeTogetherMs?: number;
  /** A job that takes longer is given up, and can write nothing after that. */
  deadlineMs: number;
  /** A statement that takes longer is ended; 15 seconds where nothing is said. */
  statementTimeoutMs?: number;
};

export const POOL_SETTINGS: Record<Pool, PoolSettings> = {
  // Chunks of thousands of loans, each a statement that saturates a core: more at a time than there
  // are cores only makes them wait for each other. Some sum up the whole book in one statement, or go
  // through all of it: a million loans take a busy machine 15 seconds for the one, 20 minutes for the other.
  ledger: { concurrency: 4, deadlineMs: 60 * 60_000, statementTimeoutMs: 5 * 60_000 },
  // The browser makes one PDF at a time; the second job reads and writes its rows meanwhile.
  documents: { concurrency: 2, deadlineMs: 5 * 60_000 },
  // Short jobs that mostly wait for strangers: many at a time, and reported in batches. Deliveries are
  // repeatable: a receiver knows a repeat by its id. Slow receivers hold up to 24 slots
  // (app.delivery_job), new ones 24 (jobs/webhooks/receiver-slots.ts).
  outbound: { concurrency: 64, completeTogetherMs: 50, deadlineMs: 2 * 60_000 },
};

/** From the signal to stop until running jobs are told to give up. */
export const STOP_AFTER_MS = 25_000;
/** From then on until the process ends, whatever still runs. */
export const STOP_GRACE_MS = 3_000;
