import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  EFFECTS,
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

const TERMINATE = `select count(pg_terminate_backend(pid)) from pg_stat_activity
  where pid <> pg_backend_pid() and backend_type = 'client backend'`;

const POOLS = [
  { name: 'single jobs', settings: { concurrency: 4 } },
  { name: 'batches', settings: { concurrency: 4, completeTogetherMs: 50 } },
];

test.each(POOLS)(
  '$name: cutting every connection each second for 20 s loses nothing',
  async (given) => {
    const before = await world.count(EFFECTS);
    const numbers = Array.from({ length: 200 }, (_, index) => before + index);
    const worker = world.worker(given.settings);
    await world.enqueue('mark', numbers, 400, 25);
    await world.until(`select (count(*) > ${before})::int from effects`, 1, 120_000);

    for (let second = 0; second < 20; second += 1) {
      await world.count(TERMINATE);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    const drained = await world.until(QUEUED, 0, 60_000);

    console.log(`${given.name}: drained ${drained.toFixed(1)} s after the last cut`);
    stillRuns(worker);
    expect(await world.count(EFFECTS)).toBe(before + 200);
    worker.process.kill('SIGTERM');
    await endsWell(worker);
  },
);
