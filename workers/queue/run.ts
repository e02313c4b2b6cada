import type { DatabasePool } from 'slonik';
import type { Log } from '../../jobs/log.ts';
import type { Outside } from '../../jobs/outside.ts';
import { poolOfWorker } from '../../jobs/pools.ts';
import type { AnyJob } from '../../jobs/queued.ts';
import { openPool, RoleRefused, sqlStateOf, type PoolSettings } from '../../sql/database/db.ts';
import { newestMigration } from '../../sql/database/migrate.ts';
import { isCurrent } from '../../sql/database/readiness.ts';
import { slotsOf } from '../../sql/queue/workers.ts';
import { sendsRefused } from '../processes/job-metrics.ts';
import type { PoolSettings as JobSettings } from './pools.ts';
import { startQueue } from './queue.ts';
import { keepRecords, type Records } from './records.ts';
import { sweepUp } from './registry.ts';
import { interruptible, repeatedly, type Repetition } from './repeatedly.ts';
import { tasksOf } from './tasks.ts';
import { tellFailures } from './tell-failures.ts';

const LOOK_FOR_SLOTS_MS = 2_000;

export type WorkerSettings = {
  /** The pool, or a sub-pool of it such as documents:letters. */
  name: string;
  url: string;
  /** The jobs of the pool; which of them are a sub-pool's, the fetch knows. */
  jobs: readonly AnyJob[];
  settings: JobSettings;
  outside: Outside;
  log: Log;
  /** Asked once the schema is there and before anything is fetched; what it throws ends the worker. */
  check?: () => Promise<void>;
  /** Beside the jobs: the relay, in the outbound pool. */
  beside?: (owner: DatabasePool) => Repetition[];
  /** The worker can do nothing more and the process must end. */
  onFatal(reason: unknown): void;
};

export type Worker = {
  /** Fetches nothing more and answers when everything that runs has ended. */
  stop(): Promise<void>;
  /** Tells running jobs to give up now; they fail, and run again elsewhere. */
  abort(): void;
};

/**
 * One pool's worker. It waits for Postgres and for the schema, survives the restarts of the former,
 * signs in so that its jobs are taken over when it dies, and looks after the others' jobs.
 */
export async function startWorker(given: WorkerSettings, giveUp: AbortSignal): Promise<Worker> {
  const { name, url, log } = given;
  const owner = await openPatiently(url, { role: 'servicing_worker', size: 6 }, { log, giveUp });
  await waitForSchema(owner, log, giveUp);
  await given.check?.();
  const records = keepRecords(owner, log, poolOfWorker(name));
  const aborting = new AbortController();
  const fetching = await fetchIntoSlots(given, { owner, records, stopping: aborting.signal });
  const telling = tellFailures(owner, given.outside.within, log);
  const beside = [...sweepUp(owner, log), telling, ...(given.beside?.(owner) ?? [])];
  log.info({ jobs: given.jobs.map((job) => job.name) }, 'the worker is running');
  return {
    stop: async () => {
      await fetching.stop();
      await Promise.all([...beside.map((watch) => watch.stop()), records.stop()]);
      await owner.end();
    },
    abort: () => aborting.abort(new Error('The worker is stopping.')),
  };
}

type Waiting = { log: Log; giveUp: AbortSignal };

/** Opens the pool when Postgres is there, however long that takes. */
export async function openPatiently(
  url: string,
  settings: PoolSettings,
  { log, giveUp }: Waiting,
): Promise<DatabasePool> {
  let isFirst = true;
  for (;;) {
    giveUp.throwIfAborted();
    try {
      return await openPool(url, settings);
    } catch (error) {
      if (error instanceof RoleRefused) throw error;
      if (isFirst) log.warn({ err: error }, 'waiting for Postgres');
      isFirst = false;
      await interruptible(1_000, giveUp);
    }
  }
}

/** Neither an absent Postgres nor an older schema is a reason to crash: both are waited for. */
async function waitForSchema(owner: DatabasePool, log: Log, giveUp: AbortSignal) {
  const wanted = newestMigration();
  let lastWarned = '';
  const found = Promise.withResolvers<void>();
  const looking = repeatedly(log, 'look for Postgres', async () => {
    if (await isCurrent(owner).catch(noTable)) found.resolve();
    else if (lastWarned !== wanted) {
      lastWarned = wanted;
      log.warn({ wanted }, 'the schema is older than this version: waiting for npm run migrate');
    }
    return 1_000;
  });
  giveUp.addEventListener('abort', () => found.reject(giveUp.reason), { once: true });
  if (giveUp.aborted) found.reject(giveUp.reason);
  try {
    await found.promise;
  } finally {
    await looking.stop();
  }
}

/** A database that has never been migrated is an older schema, too. */
function noTable(error: unknown): false {
  if (sqlStateOf(error) === '42P01') return false;
  throw error;
}

type Fetching = { owner: DatabasePool; records: Records; stopping: AbortSignal };

/** Keeps the queue running, with as many slots as operations have set, or else as the process was given. */
async function fetchIntoSlots(
  given: WorkerSettings,
  { owner, records, stopping }: Fetching,
): Promise<Repetition> {
  const { name, url, log, outside, settings } = given;
  let slots = 0;
  const known = Promise.withResolvers<void>();
  const watching = repeatedly(log, 'slots', async () => {
    const wanted = (await slotsOf(owner, name)) ?? settings.concurrency;
    if (wanted !== slots) log.info({ slots: wanted }, 'jobs at a time from now on');
    slots = wanted;
    known.resolve();
    return LOOK_FOR_SLOTS_MS;
  });
  await known.promise;
  const unaccepted = new Set<string>();
  const tasks = tasksOf(given.jobs, {
    outside,
    deadlineMs: settings.deadlineMs,
    stopping,
    onRefusal: (refusal) => {
      unaccepted.add(refusal.job_id);
      sendsRefused.inc({ task: refusal.task, means: refusal.means });
      const { words: reason, ...facts } = refusal;
      log.warn({ ...facts, reason }, 'a receiver did not accept what was sent');
    },
  });
  const onUnaskedEnd = (reason: unknown) => given.onFatal(reason);
  const start = {
    ...{ name, url, tasks, settings, owner, records, log, onUnaskedEnd },
    wasRefused: (jobId: string) => unaccepted.delete(jobId),
  };
  const queue = await startQueue({ ...start, slots: () => slots });
  return {
    stop: async () => {
      await watching.stop();
      await queue.stop();
    },
  };
}
