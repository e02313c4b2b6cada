import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import { leaveLogins } from '../../workers/processes/logins.ts';
import { COMPILED } from '../setup/processes.ts';
import { eventually } from './stage.ts';

test('npm start on what a demo has left seeds nothing, and names who can sign in and where to look', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'start-'));
  leaveLogins(folder, { from: 'demo', emails: ['officer@demo.test'], password: 'as it was then' });
  // Below what the system gives to connections, which may have taken any port above.
  const METRICS_PORT = String(20_000 + (process.pid % 12_000));
  const env = { PATH: process.env['PATH'], DATA_DIR: folder, PORT: '0', METRICS_PORT, ...COMPILED };

  const child = spawn(process.execPath, ['workers/start.ts'], { env });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => void (output += chunk.toString()));
  await eventually(() => output.includes('Ctrl-C') || child.exitCode !== null, true, 50_000);
  const client = new pg.Client(readFileSync(path.join(folder, 'database-url'), 'utf8').trim());
  await client.connect();
  const tenants = await client.query('select from tenants');
  await client.end();
  const metrics = [0, 1, 2, 3].map((index) => `http://127.0.0.1:${Number(METRICS_PORT) + index}`);
  const healthy = await Promise.all(
    metrics.map((address) => fetch(`${address}/healthz`).then((it) => it.ok)),
  );
  const [address = ''] = /http:\/\/localhost:\d+\/api\/v1/.exec(output) ?? [];
  await fetch(`${address}/loans`);
  const ofApi = await fetch(`${metrics[3]}/metrics`).then((it) => it.text());
  const ofLedger = await fetch(`${metrics[0]}/metrics`).then((it) => it.text());
  child.kill('SIGTERM');
  await once(child, 'exit');
  rmSync(folder, { recursive: true });

  expect(tenants.rowCount).toBe(0);
  expect(output).toMatch(/Logins +officer@demo\.test\n +password: as it was then\n/);
  expect(output).not.toContain('acme');
  expect(healthy).toEqual([true, true, true, true]);
  expect(ofApi).toContain('http_request_seconds_count{method="",route="",status="404"} 1');
  expect(ofLedger).toContain('queue_jobs{task="close-loans",state="ready"} 0');
  expect(ofLedger).toContain('queue_oldest_ready_seconds{task="close-loans"} 0');
  expect(ofLedger).not.toContain('deliver-webhook');
  expect(ofApi).toMatch(/^database_connections\{state="idle"\} [1-9]/m);
  for (const address of metrics) expect(output).toContain(`${address}/metrics`);
});
