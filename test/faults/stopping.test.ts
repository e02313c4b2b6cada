import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newClient } from '../setup/client.ts';
import { startProcess } from '../setup/processes.ts';
import { startFaultWorld, type FaultWorld } from './harness.ts';

let world: FaultWorld;
let folder = '';
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'stopping-'));
  world = await startFaultWorld();
}, 120_000);
afterAll(async () => {
  await world.end();
  rmSync(folder, { recursive: true, force: true });
});

type Outcome = { status: number; closes: boolean } | { refused: string };

/** One request over the agent's kept-alive connections. */
function ask(port: number, agent: Agent, target: string, cookie = ''): Promise<Outcome> {
  return new Promise((resolve) => {
    const headers = { Host: 'localhost', ...(cookie && { Cookie: cookie }) };
    const outgoing = request(
      { host: '127.0.0.1', port, agent, path: target, headers },
      (incoming) => {
        incoming.resume();
        incoming.once('error', (error: NodeJS.ErrnoException) =>
          resolve({ refused: String(error.code) }),
        );
        const closes = incoming.headers.connection === 'close';
        incoming.once('end', () => resolve({ status: incoming.statusCode ?? 0, closes }));
      },
    );
    outgoing.once('error', (error: NodeJS.ErrnoException) => {
      resolve({ refused: String(error.code) });
    });
    outgoing.end();
  });
}

test('a stopping API reports it first, answers all open requests and exits cleanly', async () => {
  const env = { DATABASE_URL: world.postgres.url, DATA_DIR: folder, LOG_LEVEL: 'warn' };
  const seed = startProcess('workers/seed.ts', [], env);
  expect([await seed.ended, seed.said()]).toEqual([0, '']);
  const api = startProcess('api/server.ts', [], { ...env, DRAIN_SECONDS: '3' });
  const port = await api.listening;
  const officer = newClient(port, 'localhost');
  await officer.login('officer@demo.test', 'correct horse battery');
  const cookie = [...officer.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const agent = new Agent({ keepAlive: true, maxSockets: 200 });
  const outcomes: Outcome[] = [];
  // Each of 200 clients sends its next request after every answer, until the port is closed.
  const clients = Array.from({ length: 200 }, async () => {
    for (;;) {
      const outcome = await ask(port, agent, '/api/v1/loans', cookie);
      outcomes.push(outcome);
      if ('refused' in outcome) return;
    }
  });
  await wait(1_500);

  const before = outcomes.length;
  const stopped = performance.now();
  api.process.kill('SIGTERM');
  await wait(300);
  const ready = await ask(port, new Agent(), '/readyz');
  api.process.kill('SIGTERM');
  api.process.kill('SIGINT');
  const code = await api.ended;
  const seconds = (performance.now() - stopped) / 1000;
  await Promise.all(clients);
  agent.destroy();

  const refused = outcomes.filter((outcome) => 'refused' in outcome);
  const answered = outcomes.slice(before).filter((outcome) => 'status' in outcome);
  console.log(
    `${before} answered before, ${answered.length} while it stopped in ${seconds.toFixed(1)} s; ` +
      `${refused.length} new connections refused`,
  );
  expect(ready).toEqual({ status: 503, closes: true });
  expect([code, api.said()]).toEqual([0, '']);
  expect(seconds).toBeLessThan(30);
  expect(answered.length).toBeGreaterThan(200);
  expect(
    outcomes.flatMap((outcome) => ('status' in outcome ? [outcome.status] : [])),
  ).not.toContain(500);
  expect(new Set(answered.map(({ status }) => status))).toEqual(new Set([200]));
  // The operating system refuses new connections. No accepted request is cut off.
  expect(new Set(refused.map(({ refused: reason }) => reason))).toEqual(new Set(['ECONNREFUSED']));
}, 120_000);
