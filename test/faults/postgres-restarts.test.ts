import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  BEGUN,
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

const POOLS = [
  { name: 'single jobs', settings: { concurrency: 4 } },
  {
    name: 'jobs fetched and reported in batches',
    settings: { concurrency: 4, completeTogetherMs: 50 },
  },
];
const MODES = ['fast', 'immediate'] as const;
const cases = POOLS.flatMap((pool) => MODES.map((mode) => ({ ...pool, mode })));

test.each(cases)('$name resume after Postgres was stopped ($mode) for 4 s', async (given) => {
  const before = await world.count(EFFECTS);
  const numbers = Array.from({ length: 60 }, (_, index) => before + index);
  const worker = world.worker(given.settings);
  await world.enqueue('mark', numbers, 300);
  const begun = await world.count(BEGUN);
  await world.until(`select (count(*) >= ${begun + 8})::int from begun`, 1, 120_000);

  await world.postgres.stop(given.mode);
  await wait(4_000);
  await world.postgres.restart();
  const done = await world.count(EFFECTS);
  const resumed = await world.until(`select (count(*) > ${done})::int from effects`, 1, 20_000);
  const drained = await world.until(QUEUED, 0, 90_000);

  stillRuns(worker);
  expect(resumed).toBeLessThan(10);
  expect(await world.count(EFFECTS)).toBe(before + 60);
  console.log(
    `${given.name}, ${given.mode}: went on after ${resumed.toFixed(1)} s, drained ${drained.toFixed(1)} s`,
  );
  await endsWell(worker);
});
