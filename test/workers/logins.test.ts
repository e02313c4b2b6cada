import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { migrate } from '../../sql/database/migrate.ts';
import { cloneDatabase } from '../setup/database.ts';
import { startProcess, waitForOutput, type StartedProcess } from '../setup/processes.ts';

const database = await cloneDatabase();
const folder = mkdtempSync(path.join(tmpdir(), 'logins-'));
const superuser = new pg.Pool({ connectionString: database.url, max: 1 });
superuser.on('error', () => {});
const started: StartedProcess[] = [];
const mark = `t${process.pid}`;
const logins: string[] = [];
afterAll(async () => {
  for (const { process: child } of started) child.kill('SIGKILL');
  await Promise.all(started.map(({ ended }) => ended));
  for (const login of logins) {
    await superuser.query(`drop owned by ${login}`);
    await superuser.query(`drop role ${login}`);
  }
  await superuser.end();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** A database URL for a new login. */
async function loginWith(name: string, rights: string): Promise<string> {
  const login = `${mark}_${name}`;
  await superuser.query(`create role ${login} login ${rights}`);
  logins.push(login);
  return as(login);
}

function as(login: string, url = database.url): string {
  const address = new URL(url);
  address.username = login;
  return address.href;
}

const SECRET = 'a secret of production, long enough';
function start(file: string, words: readonly string[], DATABASE_URL: string, more = {}) {
  const production = { NODE_ENV: 'production', SECRET, DATA_DIR: folder, HOST: '127.0.0.1' };
  const starting = startProcess(file, words, { ...production, DATABASE_URL, ...more });
  started.push(starting);
  return starting;
}

async function until(question: string) {
  for (let waited = 0; waited < 30_000; waited += 100) {
    if ((await superuser.query<{ done: boolean }>(question)).rows[0]?.done) return;
    await wait(100);
  }
  throw new Error(`It never came true: ${question}`);
}

const PROCESSES = [
  { file: 'api/server.ts', words: [] },
  { file: 'workers/worker.ts', words: ['ledger'] },
  { file: 'workers/ops.ts', words: ['status'] },
];
const TOO_MIGHTY = [
  { login: 'a superuser', rights: 'superuser', reason: 'is a superuser' },
  {
    login: 'the owner',
    rights: 'in role servicing_owner, servicing_app, servicing_worker',
    reason: 'may become servicing_owner, which owns the tables',
  },
  {
    login: 'one above the policies',
    rights: 'bypassrls in role servicing_app, servicing_worker',
    reason: 'bypasses row-level security',
  },
  {
    login: 'one that makes roles',
    rights: 'createrole in role servicing_app, servicing_worker',
    reason: 'may create roles',
  },
  {
    login: 'the auditor',
    rights: 'in role servicing_app, servicing_worker, servicing_auditor',
    reason: 'may become servicing_auditor, which reads the rows of every tenant',
  },
];

test.each(TOO_MIGHTY)('production refuses $login and says why', async ({ login, ...given }) => {
  const url = await loginWith(login.replaceAll(' ', '_'), given.rights);

  // The first two logins are tried with every process. The rest need only one, because all processes apply
  // the same check.
  const asking = /superuser|the owner/.test(login) ? PROCESSES : PROCESSES.slice(0, 1);
  const refused = asking.map(({ file, words }) => start(file, words, url));

  for (const attempt of refused) {
    expect(await attempt.ended).not.toBe(0);
    expect(attempt.said()).toContain(given.reason);
    expect(attempt.said()).toContain('Logins of the database');
  }
});

test('production starts with logins that have minimal rights', async () => {
  const forApi = await loginWith('api', 'in role servicing_app');
  const forWorkers = await loginWith('worker', 'in role servicing_app, servicing_worker');

  const api = start('api/server.ts', [], forApi, { DRAIN_SECONDS: '0' });
  const worker = start('workers/worker.ts', ['ledger'], forWorkers);
  const ops = start('workers/ops.ts', ['status'], forWorkers);
  const port = await api.listening;
  await waitForOutput(worker, /the worker is running/);
  const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
  await superuser.query(`select app.add_job('start-close-of-business', '{}', now(), 1, null)`);
  await until(`select count(*) = 0 as done from graphile_worker._private_jobs`);

  expect(ready.status).toBe(200);
  expect((await superuser.query('select error from app.failed_jobs')).rows).toEqual([]);
  expect(worker.said()).not.toContain('permission denied');
  expect([await ops.ended, ops.said()]).toEqual([0, expect.stringContaining('not running')]);
  api.process.kill('SIGTERM');
  worker.process.kill('SIGTERM');
  expect([await api.ended, await worker.ended]).toEqual([0, 0]);
});

test('a login without its role is refused with the name of the role', async () => {
  const url = await loginWith('forgotten', '');
  const forApi = await loginWith('api_only', 'in role servicing_app');

  const api = start('api/server.ts', [], url);
  const worker = start('workers/worker.ts', ['ledger'], forApi);

  expect([await api.ended, await worker.ended]).not.toContain(0);
  expect(api.said()).toContain('grant servicing_app to it');
  expect(worker.said()).toContain('grant servicing_worker to it');
});

test('a secret that does not match the database stops the API with one sentence', async () => {
  const url = await loginWith('api_of_before', 'in role servicing_app');
  const before = start('api/server.ts', [], url, { PORT: '0', DRAIN_SECONDS: '0' });
  await before.listening;

  const other = start('api/server.ts', [], url, { PORT: '0', SECRET: SECRET.toUpperCase() });

  expect(await other.ended).toBe(1);
  expect(other.said()).toContain('The key first of SECRET differs from');
  expect(other.said()).not.toMatch(/\bat .*:\d+:\d+|CannotStart|Error:/);
  before.process.kill('SIGTERM');
  expect(await before.ended).toBe(0);
});

test('in production nothing starts without a SECRET, and everything missing is listed', async () => {
  const missing = { SECRET: '', DATABASE_URL: '' };

  const api = start('api/server.ts', [], '', { ...missing, PORT: 'ninety' });
  const worker = start('workers/worker.ts', ['ledger'], '', { ...missing, LOG_LEVEL: 'loud' });
  const ops = start('workers/ops.ts', ['status'], 'mysql://x', { SECRET: 'short' });
  const migration = start('sql/migrate-command.ts', [], '');

  expect([
    await api.ended,
    await worker.ended,
    await ops.ended,
    await migration.ended,
  ]).not.toContain(0);
  expect(api.said()).toMatch(/PORT[^]*DATABASE_URL[^]*SECRET: Is required in production/);
  expect(worker.said()).toMatch(/DATABASE_URL[^]*LOG_LEVEL[^]*SECRET: Is required in production/);
  expect(ops.said()).toMatch(/DATABASE_URL[^]*SECRET: Must have at least 32 characters/);
  expect(migration.said()).toContain('DATABASE_URL');
});

test('a login that is not a superuser can migrate, as the README says', async () => {
  const owner = await loginWith('migrator', 'in role servicing_owner');
  const name = `${mark}_fresh`;
  await superuser.query(`create database ${name} owner ${mark}_migrator`);
  const url = as(`${mark}_migrator`, owner.replace(/\/[^/]+$/, `/${name}`));
  try {
    const applied = await migrate(url);

    expect(applied.at(0)).toBe('0000_baseline');
  } finally {
    await superuser.query(`drop database ${name} with (force)`);
  }
});
