import type { DatabasePool } from 'slonik';
import type { Log } from '../../jobs/monitoring/log.ts';
import type { ExternalServices } from '../../jobs/external-systems.ts';
import { poolOfWorker } from '../../jobs/pools.ts';
import type { AnyJob } from '../../jobs/all-jobs.ts';
import { openPool, RoleNotGranted, sqlStateOf, type PoolSettings } from '../../sql/database/db.ts';
import { newestMigration } from '../../sql/database/migrate.ts';
import { isSchemaCurrent } from '../../sql/database/readiness.ts';
import { findPoolSlots } from '../../sql/queue/workers.ts';
import { sendsRefused } from '../processes/job-metrics.ts';
import type { PoolSettings as JobSettings } from './pools.ts';
import { startQueue } from './queue.ts';
import { openRunRecords, type RunRecords } from './run-records.ts';
import { startSweeps } from './registry.ts';
import { abortableDelay, startRepeating, type Repetition } from './repeat.ts';
import { buildTaskList } from './tasks.ts';
import { startFailureNotices } from './notify-failures.ts';

const SLOT_POLL_MS = 2_000;

export type WorkerSettings = {
  /** The pool or a sub-pool, such as documents:letters. */
  name: string;
  url: string;
  /** All jobs of the pool. The fetch statement selects those of a sub-pool. */
  jobs: readonly AnyJob[];
  settings: JobSettings;
  outside: ExternalServices;
  log: Log;
  /**
   * Runs when the schema is current, before any job is fetched. If it throws, the worker does not start.
   */
  check?: () => Promise<void>;
  /** Further background work, such as the relay in the outbound pool. */
  background?: (owner: DatabasePool) => Repetition[];
  /** The worker cannot continue, and the process must exit. */
  onFatal(reason: unknown): void;
};

export type Worker = {
  /** Stops fetching and resolves when all running jobs have ended. */
  stop(): Promise<void>;
  /** Aborts running jobs. They fail and run again on another worker. */
  abort(): void;
};

/**
 * Starts a worker of one pool. It waits for Postgres and the current schema, survives restarts of Postgres,
 * registers itself so that other workers can take over its jobs if it dies, and takes over theirs.
 */
export async function startWorker(given: WorkerSettings, giveUp: AbortSignal): Promise<Worker> {
  const { name, url, log } = given;
  const owner = await openPoolWithRetry(
    url,
    { role: 'servicing_worker', size: 6 },
    { log, giveUp },
  );
  await waitForSchema(owner, log, giveUp);
  await given.check?.();
  const records = openRunRecords(owner, log, poolOfWorker(name));
  const aborting = new AbortController();
  const fetching = await fetchIntoSlots(given, { owner, records, stopping: aborting.signal });
  const failureNotices = startFailureNotices(owner, given.outside.within, log);
  const background = [
    ...startSweeps(owner, log),
    failureNotices,
    ...(given.background?.(owner) ?? []),
  ];
  log.info({ jobs: given.jobs.map((job) => job.name) }, 'the worker is running');
  return {
    stop: async () => {
      await fetching.stop();
      await Promise.all([...background.map((watch) => watch.stop()), records.stop()]);
      await owner.end();
    },
    abort: () => aborting.abort(new Error('The worker is stopping.')),
  };
}

type StartupControl = { log: Log; giveUp: AbortSignal };

/** Opens the pool, and retries until Postgres is available. */
export async function openPoolWithRetry(
  url: string,
  settings: PoolSettings,
  { log, giveUp }: StartupControl,
): Promise<DatabasePool> {
  let isFirst = true;
  for (;;) {
    giveUp.throwIfAborted();
    try {
      return await openPool(url, settings);
    } catch (error) {
      if (error instanceof RoleNotGranted) throw error;
      if (isFirst) log.warn({ err: error }, 'waiting for Postgres');
      isFirst = false;
      await abortableDelay(1_000, giveUp);
    }
  }
}

/** Waits for Postgres and for the current schema instead of crashing. */
async function waitForSchema(owner: DatabasePool, log: Log, giveUp: AbortSignal) {
  const wanted = newestMigration();
  let lastWarned = '';
  const found = Promise.withResolvers<void>();
  const schemaCheck = startRepeating(log, 'look for Postgres', async () => {
    if (await isSchemaCurrent(owner).catch(falseIfTableMissing)) found.resolve();
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
    await schemaCheck.stop();
  }
}

/** A missing table means that the database was never migrated, which counts as an older schema. */
function falseIfTableMissing(error: unknown): false {
  if (sqlStateOf(error) === '42P01') return false;
  throw error;
}

type FetchInputs = { owner: DatabasePool; records: RunRecords; stopping: AbortSignal };

/** Runs the queue with the number of slots that operators set. Default: the process's own number. */
async function fetchIntoSlots(
  given: WorkerSettings,
  { owner, records, stopping }: FetchInputs,
): Promise<Repetition> {
  const { name, url, log, outside, settings } = given;
  let slots = 0;
  const known = Promise.withResolvers<void>();
  const slotWatch = startRepeating(log, 'slots', async () => {
    const wanted = (await findPoolSlots(owner, name)) ?? settings.concurrency;
    if (wanted !== slots) log.info({ slots: wanted }, 'jobs at a time from now on');
    slots = wanted;
    known.resolve();
    return SLOT_POLL_MS;
  });
  await known.promise;
  const unaccepted = new Set<string>();
  const tasks = buildTaskList(given.jobs, {
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
    name,
    url,
    tasks,
    settings,
    owner,
    records,
    log,
    onUnaskedEnd,
    wasRefused: (jobId: string) => unaccepted.delete(jobId),
  };
  const queue = await startQueue({ ...start, slots: () => slots });
  return {
    stop: async () => {
      await slotWatch.stop();
      await queue.stop();
    },
  };
}
