import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../sql/database/db.ts';
import { listFailures, retryFailedJob } from '../../sql/queue/worker-operations.ts';
import {
  acquireLivenessLock,
  findJobsLockedBy,
  recordFailedJobs,
  recordHeartbeat,
  deregisterWorker,
  sweepDeadWorkers,
} from '../../sql/queue/workers.ts';
import { newWorkerStage } from './stage.ts';

let stage: Awaited<ReturnType<typeof newWorkerStage>>;
beforeAll(async () => {
  stage = await newWorkerStage();
});
afterAll(() => stage.end());

const SILENCE_SECONDS = 30;
const worker = (pool_id: string) => ({
  pool_id,
  name: 'ledger',
  host: 'here',
  pid: 1,
  slots: 4,
});

/** A job that the named worker has held for this many seconds. */
async function held(poolId: string, seconds: number, attempts = 1) {
  await stage.enqueue('held', { by: poolId });
  await stage.owner.query(sql.typeAlias('void')`
    update graphile_worker._private_jobs set locked_by = ${poolId}, attempts = ${attempts},
      locked_at = now() - make_interval(secs => ${seconds}) where payload ->> 'by' = ${poolId}
  `);
}

const silent = (poolId: string, seconds: number) =>
  stage.owner.query(sql.typeAlias('void')`
    update app.worker_pools set heartbeat_at = now() - make_interval(secs => ${seconds})
    where pool_id = ${poolId}
  `);

test('a silent worker without a session is dead, and its jobs are released', async () => {
  await recordHeartbeat(stage.owner, worker('dead'));
  await held('dead', 31);
  await silent('dead', 31);

  const swept = await sweepDeadWorkers(stage.owner, SILENCE_SECONDS);

  expect(swept).toEqual([{ dead_pool: 'dead', unlocked_jobs: '1' }]);
  expect(await findJobsLockedBy(stage.owner, 'dead')).toEqual([]);
  expect(await sweepDeadWorkers(stage.owner, SILENCE_SECONDS)).toEqual([]);
});

test('a silent worker with a session is stalled, not dead', async () => {
  await recordHeartbeat(stage.owner, worker('stalled'));
  await held('stalled', 300);
  await silent('stalled', 300);

  await stage.owner.connect(async (session) => {
    await acquireLivenessLock(session, 'stalled');
    expect(await sweepDeadWorkers(stage.owner, SILENCE_SECONDS)).toEqual([]);
  });

  expect(await findJobsLockedBy(stage.owner, 'stalled')).toHaveLength(1);
});

test('a worker that just lost its session and still sends heartbeats is alive', async () => {
  await recordHeartbeat(stage.owner, worker('restarted'));
  await held('restarted', 300);
  await silent('restarted', 29);

  const swept = await sweepDeadWorkers(stage.owner, SILENCE_SECONDS);

  expect(swept.map(({ dead_pool }) => dead_pool)).not.toContain('restarted');
});

test('jobs held by an unknown worker are released after one minute', async () => {
  await held('unknown', 59);
  const early = await sweepDeadWorkers(stage.owner, SILENCE_SECONDS);
  await stage.owner.query(sql.typeAlias('void')`
    update graphile_worker._private_jobs set locked_at = now() - interval '61 seconds'
    where locked_by = 'unknown'
  `);

  const late = await sweepDeadWorkers(stage.owner, SILENCE_SECONDS);

  expect(early.map(({ dead_pool }) => dead_pool)).not.toContain('unknown');
  expect(late.map(({ dead_pool }) => dead_pool)).toContain('unknown');
});

test('a job whose last attempt was killed is recorded once, and can be retried', async () => {
  await recordHeartbeat(stage.owner, worker('killed'));
  await held('killed', 31, 3);
  await silent('killed', 31);
  await sweepDeadWorkers(stage.owner, SILENCE_SECONDS);

  expect(await recordFailedJobs(stage.owner)).toBe(1);
  expect(await recordFailedJobs(stage.owner)).toBe(0);
  const [failure] = await listFailures(stage.owner, 10);

  expect(failure).toMatchObject({ task: 'held', attempts: 3 });
  expect(failure?.error).toBe('The worker died during the last attempt.');
  expect(await retryFailedJob(stage.owner, failure?.id ?? '')).toBe(true);
  expect(await recordFailedJobs(stage.owner)).toBe(0);
});

test('a worker that still holds jobs does not sign off', async () => {
  await recordHeartbeat(stage.owner, worker('leaving'));
  await held('leaving', 1);

  await deregisterWorker(stage.owner, 'leaving');

  const known = sql.fragment`select from app.worker_pools where pool_id = 'leaving'`;
  expect(await stage.count(known)).toBe(1);
});

test('a worker whose process ended is dead after a quarter of the usual silence', async () => {
  await recordHeartbeat(stage.owner, worker('ended'));
  await silent('ended', 8);

  const unsuspected = await sweepDeadWorkers(stage.owner, SILENCE_SECONDS);
  const known = await sweepDeadWorkers(stage.owner, SILENCE_SECONDS, ['ended']);

  expect(unsuspected.map(({ dead_pool }) => dead_pool)).not.toContain('ended');
  expect(known).toEqual([{ dead_pool: 'ended', unlocked_jobs: '0' }]);
});
