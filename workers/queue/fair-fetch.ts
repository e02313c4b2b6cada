import { TAKE_JOBS } from '../../sql/queue/workers.ts';

/** A statement as the queue library hands it to its connection. */
export type Statement = { text: string; values?: unknown[]; name?: string };

/** The names of the library's fetches: get_job/graphile_worker, get_job200/graphile_worker. */
const FETCH = /^get_job\d*F?N?\//;

export type FairFetch = {
  /** What to send instead; undefined where no slot is free, and nothing is to be sent at all. */
  instead(statement: Statement): Statement | undefined;
  /** Told how many jobs a fetch has brought; answers whether to fetch again at once. */
  brought(jobs: number): boolean;
  /** Told that a job has ended; answers after how many milliseconds to fetch, if there may be more. */
  ended(): number | undefined;
};

/** Slots that become free within this time are filled by one fetch, as long as most are busy. */
const REFILL_AFTER_MS = 10;

type Slots = { slots: () => number; held: () => number };

/**
 * Fetches in place of the queue library, over its own connection and in its own rhythm: as many jobs as
 * slots are free, chosen by app.take_jobs, which shares fairly among tenants, obeys pauses, and does not
 * walk past jobs that are not wanted. The library has no place to hang this into; it names its
 * statements, which is what they are known by.
 */
export function fetchFairly(worker: string, { slots, held }: Slots): FairFetch {
  const free = () => slots() - held();
  let isKnown = false;
  let mayBeMore = false;
  return {
    instead: (statement) => {
      if (!FETCH.test(statement.name ?? '')) return statement;
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
