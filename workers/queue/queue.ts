import { EventEmitter } from 'node:events';
import os from 'node:os';
import { run, type ParsedCronItem, type TaskList, type WorkerEvents } from 'graphile-worker';
import type { DatabasePool } from 'slonik';
import type { Log } from '../../jobs/log.ts';
import { sentenceOf } from '../../jobs/say-error.ts';
import { queueLogger } from '../processes/log.ts';
import type { PoolSettings } from './pools.ts';
import { openQueueConnections } from './queue-connections.ts';
import type { Records } from './records.ts';
import { returnOrphans, staySigned } from './registry.ts';
import { JobFailed } from './tasks.ts';

const POLL_MS = 1_000;
const CONNECTIONS_MAX = 24;

export type Queue = {
  /** Fetches nothing more, waits for what runs, signs off. */
  stop(): Promise<void>;
};

export type QueueSettings = {
  name: string;
  url: string;
  tasks: TaskList;
  clock: ParsedCronItem[];
  settings: PoolSettings;
  owner: DatabasePool;
  records: Records;
  log: Log;
  /** Told when fetching has ended although nobody asked for it. */
  onUnaskedEnd(reason: unknown): void;
};

/** The schema changes at a deploy and never because a worker starts. */
const LEAVE_SCHEMA = {
  name: 'leave-schema',
  version: '1',
  worker: { middleware: { migrate: () => {} } },
};

/** Fetches and runs the jobs of these tasks until stopped. */
export async function startQueue(given: QueueSettings): Promise<Queue> {
  const { name, url, owner, log, settings } = given;
  const connections = openQueueConnections(url, {
    // One listens; the others fetch and report, rarely more than a few at a time.
    size: Math.min(settings.concurrency, CONNECTIONS_MAX) + 2,
    warn: (error) => log.warn({ err: error }, 'the queue waits for Postgres'),
  });
  const events: WorkerEvents = new EventEmitter();
  const held = watchJobs(events, given);
  let poolId = '';
  events.on('pool:create', ({ workerPool }) => {
    poolId = workerPool.id;
  });
  const runner = await run({
    pgPool: connections.pool,
    noHandleSignals: true,
    events,
    logger: queueLogger(log),
    concurrency: settings.concurrency,
    pollInterval: POLL_MS,
    taskList: given.tasks,
    parsedCronItems: given.clock,
    preset: { plugins: [LEAVE_SCHEMA], worker: batching(settings) },
  });
  const signature = { pool_id: poolId, name, host: os.hostname(), pid: process.pid };
  const signed = staySigned(owner, log, signature);
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

const tellingOf = (error: unknown) =>
  error instanceof JobFailed ? error.message : sentenceOf(error);

function batching({ localQueue, completeTogetherMs }: PoolSettings) {
  return {
    ...(localQueue === undefined ? {} : { localQueue: { size: localQueue } }),
    ...(completeTogetherMs === undefined
      ? {}
      : { completeJobBatchDelay: completeTogetherMs, failJobBatchDelay: completeTogetherMs }),
  };
}

/** Keeps the figures, reports failures, and knows which jobs this process holds. */
function watchJobs(events: WorkerEvents, { records, log }: QueueSettings): Map<string, number> {
  const held = new Map<string, number>();
  events.on('localQueue:getJobs:complete', ({ jobs }) => {
    for (const { id } of jobs) held.set(id, performance.now());
  });
  events.on('localQueue:returnJobs', ({ jobs }) => {
    for (const { id } of jobs) held.delete(id);
  });
  events.on('job:start', ({ job }) => void held.set(job.id, performance.now()));
  events.on('job:complete', ({ job, error }) => {
    const started = held.get(job.id) ?? performance.now();
    held.delete(job.id);
    records.ran(job.task_identifier, (performance.now() - started) / 1000, Boolean(error));
  });
  events.on('job:error', ({ job, error }) => {
    const { id, task_identifier: task, attempts, max_attempts } = job;
    log.warn({ job_id: id, task, attempts, max_attempts, err: error }, 'a job failed');
  });
  events.on('job:failed', ({ job, error }) => {
    const { id, task_identifier: task, payload, attempts } = job;
    records
      .failedForGood({ job_id: id, task, payload, attempts, error: tellingOf(error) })
      // The sweeper finds it in the queue and keeps it then.
      .catch(() => {});
  });
  return held;
}
