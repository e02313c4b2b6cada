import type { Pool } from '../../jobs/job.ts';

/** What differs between the pools, with the reasons; everything else is the same for all. */
export type PoolSettings = {
  /** Jobs at a time in one process. */
  concurrency: number;
  /** Jobs fetched in one go; a kill repeats those of them that were running, and only those. */
  localQueue?: number;
  /** Finished jobs are reported together after this long; a kill within it repeats them. */
  completeTogetherMs?: number;
  /** A job that takes longer is given up, and can write nothing after that. */
  deadlineMs: number;
};

export const POOL_SETTINGS: Record<Pool, PoolSettings> = {
  // Chunks of thousands of loans, each a statement that saturates a core: more at a time than there
  // are cores only makes them wait for each other, and fetching ahead would keep them from others.
  ledger: { concurrency: 4, deadlineMs: 10 * 60_000 },
  // The browser makes one PDF at a time; the second job reads and writes its rows meanwhile.
  documents: { concurrency: 2, deadlineMs: 5 * 60_000 },
  // Short jobs that mostly wait for strangers: many at a time, fetched and reported in batches,
  // which is ten times faster. Deliveries are repeatable: a receiver knows a repeat by its id. Slow
  // receivers hold up to 24 slots (app.delivery_job), new ones 24 (jobs/webhooks/turns.ts).
  outbound: { concurrency: 64, localQueue: 100, completeTogetherMs: 50, deadlineMs: 2 * 60_000 },
};

/** From the signal to stop until running jobs are told to give up. */
export const STOP_AFTER_MS = 25_000;
/** From then on until the process ends, whatever still runs. */
export const STOP_GRACE_MS = 3_000;
