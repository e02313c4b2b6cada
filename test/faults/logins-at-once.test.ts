import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { newClient } from '../setup/client.ts';
import { startProcess } from '../setup/processes.ts';
import { newStage, PASSWORD } from '../setup/world.ts';

const ROUNDS = 10;
const LOGINS = 200;

const stage = await newStage();
const folder = mkdtempSync(path.join(tmpdir(), 'logins-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('of two hundred logins at two processes at once ten are looked at, in each of ten rounds', async () => {
  const tenant = await stage.tenant();
  const env = { DATABASE_URL: stage.url, DATA_DIR: folder, LOG_LEVEL: 'silent' };
  const processes = [1, 2].map(() => startProcess('api/server.ts', [], env));
  const ports = await Promise.all(processes.map(({ listening }) => listening));
  const passed: number[] = [];
  const statuses = new Set<number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    await stage.owner.query('delete from throttle_hits');
    const replies = await Promise.all(
      Array.from({ length: LOGINS }, async (_, at) => {
        const client = newClient(ports[at % 2] ?? 0, tenant.host);
        const password = at % 2 === 0 ? PASSWORD : 'no';
        const reply = await client.login(`viewer@${tenant.slug}.test`, password);
        statuses.add(reply.status);
        return reply;
      }),
    );
    passed.push(replies.filter(({ status }) => status === 200 || status === 401).length);
  }
  for (const { process } of processes) process.kill('SIGTERM');
  await Promise.all(processes.map(({ ended }) => ended));

  expect(passed).toEqual(Array.from({ length: ROUNDS }, () => 10));
  expect([...statuses].every((status) => [200, 401, 429].includes(status))).toBe(true);
});
