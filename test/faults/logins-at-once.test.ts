import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newClient } from '../setup/client.ts';
import { startProcess } from '../setup/processes.ts';
import { startFaultWorld, type FaultWorld } from './harness.ts';

const ROUNDS = 10;
const LOGINS = 200;
const PASSWORD = 'correct horse battery';

let world: FaultWorld;
let folder = '';
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'logins-'));
  world = await startFaultWorld();
}, 120_000);
afterAll(async () => {
  await world.end();
  rmSync(folder, { recursive: true, force: true });
});

test('of two hundred simultaneous sign-ins at two processes, ten are checked, in each of ten rounds', async () => {
  const env = { DATABASE_URL: world.postgres.url, DATA_DIR: folder, LOG_LEVEL: 'warn' };
  const seed = startProcess('workers/seed.ts', [], env);
  expect([await seed.ended, seed.said()]).toEqual([0, '']);
  const processes = [1, 2].map(() => startProcess('api/server.ts', [], env));
  const ports = await Promise.all(processes.map(({ listening }) => listening));
  const owner = new pg.Client(world.postgres.url);
  await owner.connect();
  const rounds: { looked: number; late: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await owner.query('delete from throttle_hits');
    const statuses = await Promise.all(
      Array.from({ length: LOGINS }, async (_, at) => {
        const client = newClient(ports[at % 2] ?? 0, 'localhost');
        const password = at % 4 < 2 ? PASSWORD : 'no';
        return (await client.login('viewer@demo.test', password)).status;
      }),
    );
    const looked = statuses.filter((status) => status === 200 || status === 401);
    const late = statuses.filter((status) => status === 429);
    rounds.push({ looked: looked.length, late: late.length });
  }
  await owner.end();
  for (const { process } of processes) process.kill('SIGTERM');
  await Promise.all(processes.map(({ ended }) => ended));

  expect(rounds).toEqual(Array.from({ length: ROUNDS }, () => ({ looked: 10, late: LOGINS - 10 })));
});
