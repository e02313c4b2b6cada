import { EventEmitter } from 'node:events';
import os from 'node:os';
import { run, type Job, type TaskList, type WorkerEvents, type WorkerPool } from 'graphile-worker';
import type { DatabasePool } from 'slonik';
import type { Log } from '../../jobs/monitoring/log.ts';
import { summarizeError } from '../../jobs/monitoring/serialize-error.ts';
import { queueLogger } from '../processes/log.ts';
import { fetchFairly, type FairFetch } from './fair-fetch.ts';
import type { PoolSettings } from './pools.ts';
import { openQueueConnections } from './queue-connections.ts';
import type { RunRecords } from './run-records.ts';
import { returnOrphans, maintainRegistration } from './registry.ts';
import { JobFailed, PayloadRefused, requestIdOf } from './tasks.ts';

const POLL_MS = 1_000;
/**
 * The maximum number of slots per process. The library uses this number, and `fetchFairly` limits what it
 * gets.
 */
export const SLOTS_MAX = 200;
/** One connection listens. The others fetch and report jobs, rarely more than a few at a time. */
const CONNECTIONS = 10;

export type Queue = {
  /** Stops fetching, waits for running jobs, and deregisters the worker. */
  stop(): Promise<void>;
};

export type QueueSettings = {
  /** The pool or sub-pool. */
  name: string;
  url: string;
  tasks: TaskList;
  settings: PoolSettings;
  /** The current number of slots. */
  slots: () => number;
  owner: DatabasePool;
  records: RunRecords;
  log: Log;
  /** Says whether a receiver refused something that the job sent. Called once, when the job has ended. */
  wasRefused: (jobId: string) => boolean;
  /** Called when fetching ends without a stop request. */
  onUnaskedEnd(reason: unknown): void;
};

/** The library must not migrate its schema. Only `npm run migrate` does that. */
const KEEP_SCHEMA = {
  name: 'leave-schema',
  version: '1',
  worker: { middleware: { migrate: () => {} } },
};

/** Fetches and runs jobs until it is stopped. */
export async function startQueue(given: QueueSettings): Promise<Queue> {
  const { name, url, owner, log, settings, slots } = given;
  const held = new Map<string, number>();
  const fetching = fetchFairly(name, { slots, held: () => held.size });
  const connections = openQueueConnections(url, {
    size: CONNECTIONS,
    instead: (statement) => fetching.instead(statement),
    warn: (error) => log.warn({ err: error }, 'the queue waits for Postgres'),
  });
  const events: WorkerEvents = new EventEmitter();
  let workerPool: WorkerPool | undefined;
  events.on('pool:create', (created) => {
    workerPool = created.workerPool;
  });
  watchJobs(events, held, given);
  refill(events, fetching, () => workerPool?.nudge(1), given);
  const runner = await run({
    pgPool: connections.pool,
    noHandleSignals: true,
    events,
    logger: queueLogger(log),
    concurrency: SLOTS_MAX,
    pollInterval: POLL_MS,
    taskList: given.tasks,
    parsedCronItems: [],
    preset: { plugins: [KEEP_SCHEMA], worker: batchSettings(settings) },
  });
  const poolId = workerPool?.id ?? '';
  const signature = { pool_id: poolId, name, host: os.hostname(), pid: process.pid };
  const signed = maintainRegistration(owner, log, () => ({ ...signature, slots: slots() }));
  const orphans = returnOrphans(owner, log, poolId, (id) => held.has(id));

  let isAsked = false;
  const ended = runner.promise.then(
    () => isAsked || given.onUnaskedEnd('The queue ended by itself.'),
    (error: unknown) => isAsked || given.onUnaskedEnd(error),
  );
  return {
    stop: async () => {
      isAsked = true;
      await runner.stop().catch(() => {});
      await ended;
      await Promise.all([signed.stop(), orphans.stop()]);
      await connections.close();
    },
  };
}

const failureMessage = (error: unknown) =>
  error instanceof JobFailed ? error.message : summarizeError(error);

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function tenantOf(payload: unknown): string | null {
  const given = (payload as { tenant_id?: unknown } | null)?.tenant_id;
  return typeof given === 'string' && UUID.test(given) ? given : null;
}

const batchSettings = ({ completeTogetherMs }: PoolSettings) => ({
  // One fetch fills all slots, instead of one fetch per slot.
  localQueue: { size: SLOTS_MAX },
  ...(completeTogetherMs === undefined
    ? {}
    : { completeJobBatchDelay: completeTogetherMs, failJobBatchDelay: completeTogetherMs }),
});

/** Fills free slots without waiting for the next poll while there may be more jobs. */
function refill(
  events: WorkerEvents,
  fetching: FairFetch,
  fetchNow: () => void,
  { onUnaskedEnd }: Pick<QueueSettings, 'onUnaskedEnd'>,
) {
  events.on('localQueue:getJobs:complete', ({ jobs }) => {
    try {
      if (fetching.brought(jobs.length)) fetchNow();
    } catch (error) {
      onUnaskedEnd(error);
    }
  });
  let soon: NodeJS.Timeout | undefined;
  const fill = () => {
    clearTimeout(soon);
    soon = undefined;
    fetchNow();
  };
  events.on('job:complete', () => {
    const ms = fetching.ended();
    if (ms === 0) fill();
    else if (ms !== undefined) soon ??= setTimeout(fill, ms).unref();
  });
}

/** Records statistics, reports failures, and tracks which jobs this process holds. */
function watchJobs(
  events: WorkerEvents,
  held: Map<string, number>,
  { records, log, wasRefused }: QueueSettings,
) {
  events.on('localQueue:getJobs:complete', ({ jobs }) => {
    for (const { id } of jobs) held.set(id, performance.now());
  });
  events.on('localQueue:returnJobs', ({ jobs }) => {
    for (const { id } of jobs) held.delete(id);
  });
  const waited = new Map<string, number>();
  events.on('job:start', ({ job }) => {
    held.set(job.id, performance.now());
    // The clocks of Postgres and this machine may differ slightly.
    waited.set(job.id, Math.max(0, (Date.now() - job.run_at.getTime()) / 1000));
  });
  events.on('job:complete', ({ job, error }) => {
    const started = held.get(job.id) ?? performance.now();
    const waited_seconds = waited.get(job.id) ?? 0;
    held.delete(job.id);
    waited.delete(job.id);
    const seconds = (performance.now() - started) / 1000;
    const hasFailed = wasRefused(job.id) || Boolean(error);
    records.ran(job.task_identifier, { seconds, waited_seconds, hasFailed });
  });
  const failForGood = (job: Job, error: unknown) => {
    const { id, task_identifier: task, payload, attempts } = job;
    records
      .failedForGood({ job_id: id, task, payload, attempts, error: failureMessage(error) })
      // If this fails, the sweep finds the failed job in the queue and records it.
      .catch(() => {});
  };
  events.on('job:error', ({ job, error }) => {
    const { id, task_identifier: task, attempts, max_attempts } = job;
    const request_id = requestIdOf(job.payload);
    log.warn({ job_id: id, task, request_id, attempts, max_attempts, err: error }, 'a job failed');
    const tenant_id = tenantOf(job.payload);
    records.tried({ job_id: id, task, tenant_id, attempt: attempts, error: failureMessage(error) });
    // On its last attempt, `job:failed` follows and reports it.
    if (error instanceof PayloadRefused && attempts < max_attempts) failForGood(job, error);
  });
  events.on('job:failed', ({ job, error }) => failForGood(job, error));
}
