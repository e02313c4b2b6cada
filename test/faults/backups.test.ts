import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { openPool } from '../../sql/database/db.ts';
import { startEmbeddedPostgres } from '../../sql/database/embedded.ts';
import { migrate } from '../../sql/database/migrate.ts';
import { pauseWork, listPauses } from '../../sql/queue/worker-operations.ts';
import { releasePools } from '../../workers/backups/hold-pools.ts';
import { restoreBackup } from '../../workers/backups/restore-backup.ts';
import { takeBackup } from '../../workers/backups/take-backup.ts';
import { endsWell, startProcess } from './harness.ts';

const root = mkdtempSync(path.join(os.tmpdir(), 'backups-'));
// The servers run as another user, who must be able to enter the folder.
chmodSync(root, 0o711);
const [data, backup] = ['data', 'backup'].map((name) => path.join(root, name)) as [string, string];
const files = path.join(data, 'files');
const SECRET_KEYS = ['first'];
const by = { who: 'an operator', why: 'a test' };
const say = () => {};

const postgres = await startEmbeddedPostgres(data);
await migrate(postgres.url);
await ask(
  postgres.url,
  `create table effects (number integer primary key, at timestamptz default now());
  create table begun (number integer, at timestamptz default now());
  grant all on begun, effects to servicing_app`,
);
const tenantId = await tenant('before');
await ask(
  postgres.url,
  `select app.add_job('mark', json_build_object('tenant_id', '${tenantId}'::uuid, 'number', n, 'ms', 0),
     now(), 5, null) from generate_series(1, 20) n`,
);
mkdirSync(files, { recursive: true });
writeFileSync(path.join(files, 'first.pdf'), 'the first');
const operator = await openPool(postgres.url, { role: 'servicing_worker', size: 1 });
await pauseWork(operator, { pool: 'documents' }, { who: 'Ann', why: 'No paper' });
await operator.end();
const runBackup = (folder = backup) =>
  takeBackup(folder, { url: postgres.url, files, secret_keys: SECRET_KEYS, say });
const restoreInto = (name: string, at?: string) =>
  restoreBackup({ from: backup, into: path.join(root, name), at, by, say });

const first = await runBackup();
await tenant('between');
await wait(50);
const moment = new Date().toISOString();
await wait(50);
await tenant('after');
writeFileSync(path.join(files, 'second.pdf'), 'the second');
const whole = statSync(path.join(backup, 'base', 'backup_label')).mtimeMs;
const second = await runBackup();

afterAll(async () => {
  await postgres.stop('immediate');
  rmSync(root, { recursive: true, force: true });
});

async function ask(url: string, query: string) {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Record<string, string>>(query)).rows;
  } finally {
    await client.end();
  }
}

async function tenant(slug: string): Promise<string> {
  const [made] = await ask(
    postgres.url,
    `select app.create_tenant('${slug}', 'T', '2026-01-01', '{}') as id`,
  );
  return made?.['id'] ?? '';
}

const slugs = async (url: string) =>
  (await ask(url, 'select slug from tenants order by slug')).map((row) => row['slug']);

test('a second backup copies only the log and new documents', () => {
  expect(second.base).toEqual(first.base);
  expect(statSync(path.join(backup, 'base', 'backup_label')).mtimeMs).toBe(whole);
  expect(second.log.length).toBeGreaterThan(first.log.length);
  expect(second.files.map((file) => file.path)).toEqual(['first.pdf', 'second.pdf']);
  expect(statSync(backup).mode & 0o077).toBe(0);
});

test('a point-in-time copy has every commit before that moment, nothing later, and all documents', async () => {
  const copy = await restoreInto('moment', moment);
  const found = await slugs(copy.postgres.url);
  await ask(copy.postgres.url, 'create table writable ()');
  await copy.postgres.stop();
  const again = await startEmbeddedPostgres(path.join(root, 'moment'));
  const later = await slugs(again.url);
  await again.stop();

  expect(found).toEqual(['before', 'between']);
  expect(later).toEqual(found);
  expect(readdirSync(path.join(root, 'moment', 'files'))).toEqual(['first.pdf', 'second.pdf']);
  expect(readFileSync(path.join(root, 'moment', 'files', 'second.pdf'), 'utf8')).toBe('the second');
});

test('a restored copy runs no job until it is released, then each job once; existing pauses remain', async () => {
  const { postgres: copy } = await restoreInto('end');
  const worker = startProcess(copy.url);
  const owner = await openPool(copy.url, { role: 'servicing_worker', size: 1 });
  const done = async () =>
    Number((await ask(copy.url, 'select count(*) as n from effects'))[0]?.['n']);
  const beats = async () =>
    Number((await ask(copy.url, 'select count(*) as n from app.worker_pools'))[0]?.['n']);
  while ((await beats()) === 0) await wait(100);
  await wait(3_000);
  const held = await done();
  const released = await releasePools(owner, by);
  for (let waited = 0; waited < 300 && (await done()) < 20; waited += 1) await wait(100);
  const begun = await ask(copy.url, 'select count(*) as n from begun');
  const left = await listPauses(owner);
  await endsWell(worker);
  const [slugsOfEnd, after] = [await slugs(copy.url), await done()];
  await owner.end();
  await copy.stop();

  expect(held).toBe(0);
  expect(released.sort()).toEqual(['ledger', 'outbound']);
  expect(after).toBe(20);
  expect(begun).toEqual([{ n: '20' }]);
  expect(left).toMatchObject([{ pool: 'documents', paused_by: 'Ann', reason: 'No paper' }]);
  expect(slugsOfEnd).toEqual(['after', 'before', 'between']);
});

test.each([
  ['a moment before it', '2020-01-01T00:00:00Z', 'must be between'],
  ['a moment after it', '2999-01-01T00:00:00Z', 'must be between'],
  ['a moment without a zone', '2026-01-01T00:00:00', 'with a time zone'],
])('no copy is made of %s, and nothing is left behind', async (_what, at, reason) => {
  await expect(restoreInto('refused', at)).rejects.toThrow(reason);
  expect(readdirSync(root)).not.toContain('refused');
});

test('a restore refuses a folder in use, and reports a backup that was changed', async () => {
  await expect(restoreInto('data')).rejects.toThrow('is not empty');
  const place = path.join(backup, 'manifest.json');
  const manifest = readFileSync(place, 'utf8');
  const folders = ['../../elsewhere'];
  writeFileSync(place, JSON.stringify({ ...JSON.parse(manifest), folders }));
  await expect(restoreInto('outside')).rejects.toThrow('outside the backup');
  writeFileSync(place, manifest);
  writeFileSync(path.join(backup, 'files', 'first.pdf'), 'forged');
  await expect(restoreInto('forged')).rejects.toThrow('is damaged');
  await expect(startEmbeddedPostgres(path.join(root, 'forged'))).rejects.toThrow('cut off');
});
