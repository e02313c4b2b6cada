import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { writeLogins } from '../../workers/processes/logins.ts';
import { COMPILE_CACHE_ENV } from '../setup/processes.ts';
import { eventually } from './stage.ts';

/** The text of a mail before its transfer encoding. */
const decoded = (mail: string) =>
  mail
    .replaceAll(/=\r?\n/g, '')
    .replaceAll('=3D', '=')
    .replaceAll('&#x3D;', '=');

/** Starts everything in a new folder and waits until it reports that it runs. */
async function started(folder: string, given: Record<string, string> = {}) {
  const env = {
    PATH: process.env['PATH'],
    DATA_DIR: folder,
    PORT: '0',
    ...given,
    ...COMPILE_CACHE_ENV,
  };
  const child = spawn(process.execPath, ['workers/start.ts'], { env });
  // After a failed expectation, it would otherwise keep running with all its processes.
  onTestFinished(() => void child.kill('SIGTERM'));
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => void (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => void (output += chunk.toString()));
  await eventually(() => output.includes('Ctrl-C') || child.exitCode !== null, true, 120_000);
  return { child, output: () => output };
}

test('npm start on a demo’s data seeds nothing, and prints who can sign in and where', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'start-'));
  writeLogins(folder, { from: 'demo', emails: ['officer@demo.test'], password: 'as it was then' });
  // Below the ephemeral ports, any of which another connection may be using.
  const METRICS_PORT = String(20_000 + (process.pid % 12_000));
  const { child, output } = await started(folder, { METRICS_PORT });
  const client = new pg.Client(readFileSync(path.join(folder, 'database-url'), 'utf8').trim());
  await client.connect();
  const tenants = await client.query('select from tenants');
  await client.end();
  const metrics = [0, 1, 2, 3].map((index) => `http://127.0.0.1:${Number(METRICS_PORT) + index}`);
  const healthy = await Promise.all(
    metrics.map((address) => fetch(`${address}/healthz`).then((it) => it.ok)),
  );
  const [address = ''] = /http:\/\/localhost:\d+\/api\/v1/.exec(output()) ?? [];
  await fetch(`${address}/loans`);
  const ofApi = await fetch(`${metrics[3]}/metrics`).then((it) => it.text());
  const ofLedger = await fetch(`${metrics[0]}/metrics`).then((it) => it.text());
  child.kill('SIGTERM');
  await once(child, 'exit');
  rmSync(folder, { recursive: true });

  expect(tenants.rowCount).toBe(0);
  expect(output()).toMatch(/Logins +officer@demo\.test\n +password: as it was then\n/);
  expect(output()).not.toContain('acme');
  expect(healthy).toEqual([true, true, true, true]);
  expect(ofApi).toContain('http_request_seconds_count{method="",route="",status="404"} 1');
  expect(ofLedger).toContain('queue_jobs{task="close-loans",state="ready"} 0');
  expect(ofLedger).toContain('queue_oldest_ready_seconds{task="close-loans"} 0');
  expect(ofLedger).not.toContain('deliver-webhook');
  expect(ofApi).toMatch(/^database_connections\{state="idle"\} [1-9]/m);
  for (const address of metrics) expect(output()).toContain(`${address}/metrics`);
});

test('after npm start, the email for a forgotten password leads to a working page', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'start-'));
  const { child, output } = await started(folder);
  const [origin = ''] = /http:\/\/localhost:\d+/.exec(output()) ?? [];
  const door = await fetch(`${origin}/staff/forgot-password`);
  const cookie = door.headers.getSetCookie().find((line) => line.startsWith('csrftoken=')) ?? '';
  const csrf_token = /csrftoken=([^;]*)/.exec(cookie)?.[1] ?? '';

  await fetch(`${origin}/staff/forgot-password`, {
    method: 'POST',
    headers: { Cookie: `csrftoken=${csrf_token}`, Origin: origin },
    body: new URLSearchParams({ csrf_token, email: 'officer@demo.test' }),
  });
  const mails = () =>
    readdirSync(path.join(folder, 'outbox')).filter((name) => name.endsWith('.eml'));
  await eventually(
    () => existsSync(path.join(folder, 'outbox')) && mails().length > 0,
    true,
    60_000,
  );
  const mail = readFileSync(path.join(folder, 'outbox', mails()[0] ?? ''), 'utf8');
  const [link = ''] =
    /http:\/\/[\w.:]+\/staff\/choose-password\?token=[\w-]+/.exec(decoded(mail)) ?? [];
  const page = await fetch(link);
  child.kill('SIGTERM');
  await once(child, 'exit');
  rmSync(folder, { recursive: true });

  expect(link).toContain(`${origin}/staff/choose-password?token=`);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('Save password');
  // Without errors, no log lines appear in the output for people.
  expect(output()).not.toContain('{"level"');
});
