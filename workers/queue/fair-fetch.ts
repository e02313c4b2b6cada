import { TAKE_JOBS } from '../../sql/queue/workers.ts';

/** A statement that the queue library sends over its connection. */
export type Statement = { text: string; values?: unknown[]; name?: string };

/** The statement names of the library's fetches: get_job/graphile_worker, get_job200/graphile_worker. */
const FETCH_STATEMENT = /^get_job\d*F?N?\//;

export type FairFetch = {
  /** Returns the statement to send. Undefined if no slot is free and nothing should be sent. */
  instead(statement: Statement): Statement | undefined;
  /** Takes the number of jobs that a fetch returned. Returns true to fetch again immediately. */
  brought(jobs: number): boolean;
  /**
   * Called when a job has ended. Returns the delay in milliseconds before the next fetch, or undefined if
   * no jobs are left.
   */
  ended(): number | undefined;
};

/** While most slots are busy, one fetch fills all slots that become free within this time. */
const REFILL_AFTER_MS = 10;

type Slots = { slots: () => number; held: () => number };

/**
 * Replaces the queue library's fetch statement by app.take_jobs, on the same connection. app.take_jobs
 * returns at most as many jobs as slots are free, shares fairly among tenants, obeys pauses, and does not
 * scan jobs that are not wanted. The library has no extension point for this, so its fetches are recognized
 * by their statement names.
 */
export function fetchFairly(worker: string, { slots, held }: Slots): FairFetch {
  const free = () => slots() - held();
  let isKnown = false;
  let mayBeMore = false;
  return {
    instead: (statement) => {
      if (!FETCH_STATEMENT.test(statement.name ?? '')) return statement;
      isKnown = true;
      const wanted = free();
      if (wanted <= 0) {
        mayBeMore = true;
        return undefined;
      }
      const [workerId, taskIds] = statement.values ?? [];
      return { text: TAKE_JOBS, values: [workerId, worker, taskIds, wanted], name: 'take_jobs' };
    },
    brought: (jobs) => {
      if (!isKnown) throw new Error('The queue library fetched by a statement of another name.');
      mayBeMore = jobs > 0 || free() <= 0;
      return jobs > 0 && free() > 0;
    },
    ended: () => {
      if (!mayBeMore) return undefined;
      return free() * 2 >= slots() ? 0 : REFILL_AFTER_MS;
    },
  };
}
