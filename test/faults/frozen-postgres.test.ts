import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { postmasterPid } from '../../sql/database/postmaster.ts';
import { newClient, type Client } from '../setup/client.ts';
import { startProcess, type StartedProcess } from '../setup/processes.ts';
import {
  EFFECTS,
  QUEUED,
  startFaultWorld,
  endsWell,
  stillRuns,
  type FaultWorld,
} from './harness.ts';

let world: FaultWorld;
let postmaster = 0;
let folder = '';
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'frozen-'));
  world = await startFaultWorld();
  postmaster = await postmasterPid(world.postgres.url);
}, 120_000);
afterAll(async () => {
  signalAll('SIGCONT');
  await world.end();
  rmSync(folder, { recursive: true, force: true });
});

/** Sends the signal to the server and all of its current backends. */
function signalAll(signal: 'SIGSTOP' | 'SIGCONT') {
  const parentOf = (pid: string) => {
    try {
      return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1]);
    } catch {
      return 0;
    }
  };
  // The postmaster first, so that it starts no more backends.
  process.kill(postmaster, signal);
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    if (parentOf(pid) === postmaster) process.kill(Number(pid), signal);
}

async function startApi(): Promise<{ api: StartedProcess; officer: Client; port: number }> {
  const env = { DATABASE_URL: world.postgres.url, DATA_DIR: folder, LOG_LEVEL: 'warn' };
  const seed = startProcess('workers/seed.ts', [], env);
  if ((await seed.ended) !== 0) throw new Error(seed.said());
  const api = startProcess('api/server.ts', [], env);
  const port = await api.listening;
  const officer = newClient(port, 'localhost');
  await officer.login('officer@demo.test', 'correct horse battery');
  return { api, officer, port };
}

async function timed<Result extends { status: number }>(asking: Promise<Result>) {
  const start = performance.now();
  const { status } = await asking;
  return { status, seconds: (performance.now() - start) / 1000 };
}

test('with a frozen Postgres, requests get 503 within seconds and no change is half done; once it resumes, everything works', async () => {
  const { api, officer, port } = await startApi();
  const mark = `frozen-${process.pid}`;
  const add = (at: number) => {
    const headers = { 'Idempotency-Key': `${mark}-${at}` };
    return officer.post('/borrowers', { first_name: mark, last_name: `N${at}` }, { headers });
  };
  const ready = async () => fetch(`http://127.0.0.1:${port}/readyz`);
  await Promise.all([100, 101, 102, 103].map(add));

  const under = Array.from({ length: 30 }, (_, at) => timed(add(at)));
  await wait(20);
  signalAll('SIGSTOP');
  const first = await Promise.all([...under, timed(ready())]);
  const then = await Promise.all([
    timed(officer.get('/borrowers')),
    timed(add(40)),
    timed(ready()),
  ]);
  await wait(3_000);
  signalAll('SIGCONT');
  const thawed = performance.now();
  while ((await officer.get('/borrowers')).status !== 200) await wait(50);
  const recovered = (performance.now() - thawed) / 1000;

  const statuses = new Set(first.map(({ status }) => status));
  expect([...statuses].filter((status) => status !== 201)).toEqual([503]);
  expect(Math.max(...first.map(({ seconds }) => seconds))).toBeLessThan(8);
  expect(then.map(({ status }) => status)).toEqual([503, 503, 503]);
  expect(Math.max(...then.map(({ seconds }) => seconds))).toBeLessThan(1);
  expect(recovered).toBeLessThan(10);
  console.log(
    `503 after at most ${Math.max(...first.map(({ seconds }) => seconds)).toFixed(1)} s, then after ` +
      `${Math.max(...then.map(({ seconds }) => seconds)).toFixed(2)} s; recovered in ${recovered.toFixed(2)} s; ` +
      `${first.filter(({ status }) => status === 201).length} were done before`,
  );
  // Repeated with the same key, each request has exactly one result, whether or not the first attempt was
  // executed.
  const again = await Promise.all(Array.from({ length: 30 }, (_, at) => add(at)));
  expect(new Set(again.map(({ status }) => status))).toEqual(new Set([201]));
  expect(await world.count(`select count(*) from borrowers where first_name = '${mark}'`)).toBe(34);
  expect((await ready()).status).toBe(200);
  // Each request reads its own answer, not another request's.
  for (const { body } of again) {
    const found = await officer.get(`/borrowers/${body.id}`);
    expect(found.body.last_name).toBe(body.last_name);
  }
  api.process.kill('SIGTERM');
  expect(await api.ended).toBe(0);
}, 180_000);

test.each([4, 12, 45])(
  'workers resume after Postgres was frozen for %i s',
  async (seconds) => {
    const before = await world.count(EFFECTS);
    const numbers = Array.from({ length: 40 }, (_, index) => before + index);
    const worker = world.worker({ concurrency: 4 });
    await world.enqueue('mark', numbers, 300);
    await world.until(`select (count(*) > ${before})::int from effects`, 1, 30_000);

    signalAll('SIGSTOP');
    await wait(seconds * 1_000);
    signalAll('SIGCONT');
    const drained = await world.until(QUEUED, 0, 90_000);

    console.log(`frozen for ${seconds} s: drained ${drained.toFixed(1)} s after the thaw`);
    stillRuns(worker);
    expect(await world.count(EFFECTS)).toBe(before + 40);
    await endsWell(worker);
  },
  240_000,
);
