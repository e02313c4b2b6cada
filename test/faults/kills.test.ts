import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  BEGUN,
  EFFECTS,
  FAILED,
  QUEUED,
  startFaultWorld,
  endsWell,
  stillRuns,
  type FaultWorld,
} from './harness.ts';

let world: FaultWorld;
beforeAll(async () => {
  world = await startFaultWorld();
});
afterAll(() => world.end());

test('the job of a killed worker runs again within 45 s and has one effect', async () => {
  const victim = world.worker({ concurrency: 1 });
  await world.enqueue('mark', [1], 2_000);
  await world.until(BEGUN, 1, 120_000);
  const other = world.worker({ concurrency: 1 });

  victim.process.kill('SIGKILL');
  const again = await world.until(BEGUN, 2, 60_000);
  await world.until(QUEUED, 0, 10_000);

  console.log(`a killed worker's job began again after ${again.toFixed(1)} s`);
  expect(await victim.ended).toBe('SIGKILL');
  expect(again).toBeLessThan(45);
  expect(await world.count(EFFECTS)).toBe(1);
  stillRuns(other);
  await endsWell(other);
  expect(await world.count('select count(*) from app.worker_pools')).toBe(0);
});

test('a worker that is asked to stop finishes its job, leaves the others, and exits with 0', async () => {
  const before = await world.count(EFFECTS);
  const begun = await world.count(BEGUN);
  const worker = world.worker({ concurrency: 1 });
  await world.enqueue('mark', [11, 12, 13], 2_000);
  await world.until(BEGUN, begun + 1, 120_000);

  const asked = performance.now();
  worker.process.kill('SIGTERM');
  const code = await worker.ended;
  const seconds = (performance.now() - asked) / 1000;

  console.log(`SIGTERM: ended after ${seconds.toFixed(1)} s`);
  expect(code).toBe(0);
  expect(seconds).toBeLessThan(5);
  expect(await world.count(EFFECTS)).toBe(before + 1);
  expect(await world.count(QUEUED)).toBe(2);
  expect(await world.count('select count(locked_by) from graphile_worker._private_jobs')).toBe(0);
  const successor = world.worker();
  await world.until(QUEUED, 0, 20_000);
  await endsWell(successor);
});

test('a job that hangs is returned to the queue at the stop deadline, and the attempt is recorded', async () => {
  const begun = await world.count(BEGUN);
  const worker = world.worker({ concurrency: 1 }, { STOP_AFTER_MS: '2000' });
  await world.enqueue('hangs', [21], 0, 10);
  await world.until(BEGUN, begun + 1, 120_000);

  const asked = performance.now();
  worker.process.kill('SIGTERM');
  const code = await worker.ended;
  const seconds = (performance.now() - asked) / 1000;

  expect(code).toBe(0);
  expect(seconds).toBeLessThan(5);
  const released = `select attempts from graphile_worker._private_jobs where locked_by is null`;
  expect(await world.count(released)).toBe(1);
  await world.count('delete from graphile_worker._private_jobs returning 1');
});

test('poison jobs fail for good visibly, and other jobs continue', async () => {
  const before = await world.count(EFFECTS);
  const worker = world.worker({ concurrency: 4, deadlineMs: 2_000 });
  await world.enqueue('throws', [31], 0, 2);
  await world.enqueue('hangs', [32], 0, 2);
  await world.enqueue('mark', [33, 34, 35], 100);

  const others = await world.until(EFFECTS, before + 3, 15_000);
  const visible = await world.until(FAILED, 2, 60_000);

  console.log(
    `poison: others done after ${others.toFixed(1)} s, failed for good after ${visible.toFixed(1)} s`,
  );
  const longer = `select count(*) from app.failed_jobs where error like '%longer than 2 seconds%'`;
  expect(await world.count(longer)).toBe(1);
  stillRuns(worker);
  await endsWell(worker);
});

test('a worker that starts before Postgres waits for it', async () => {
  await world.postgres.stop('fast');
  const worker = world.worker();
  await wait(8_000);
  stillRuns(worker);
  await world.postgres.restart();
  const before = await world.count(EFFECTS);
  await world.enqueue('mark', [41], 0);

  const seconds = await world.until(EFFECTS, before + 1, 20_000);

  expect(seconds).toBeLessThan(10);
  await endsWell(worker);
});

test('a job that blocks its process is abandoned after its attempts', async () => {
  const before = await world.count(FAILED);
  const worker = () => world.worker({ concurrency: 1 }, { STALLED_MS: '2000' });
  await world.enqueue('blocks', [51], 0, 2);

  const endings = [await worker().ended, await worker().ended];
  const survivor = worker();
  await world.until(FAILED, before + 1, 60_000);

  expect(endings).toEqual(['SIGKILL', 'SIGKILL']);
  stillRuns(survivor);
  await endsWell(survivor);
}, 180_000);

test('a job that lasts longer than 35 s without Postgres is not taken from its living worker', async () => {
  const [begun, before] = [await world.count(BEGUN), await world.count(EFFECTS)];
  const workers = [world.worker({ concurrency: 1 }), world.worker({ concurrency: 1 })];
  await world.enqueue('mark', [61], 55_000);
  await world.until(BEGUN, begun + 1, 120_000);

  await world.postgres.stop('immediate');
  await wait(35_000);
  await world.postgres.restart();
  await world.until(EFFECTS, before + 1, 40_000);
  await wait(5_000);

  expect(await world.count(BEGUN)).toBe(begun + 1);
  for (const worker of workers) await endsWell(worker);
}, 180_000);
