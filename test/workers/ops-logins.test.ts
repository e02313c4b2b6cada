import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, expect, test, vi } from 'vitest';
import { OPERATIONS, runOperation } from '../../workers/ops/run-operation.ts';
import { cloneDatabase } from '../setup/database.ts';
import { sdnFiles } from '../setup/sdn-list.ts';

const database = await cloneDatabase();
const folder = mkdtempSync(path.join(tmpdir(), 'ops-logins-'));
const superuser = new pg.Client(database.url);
await superuser.connect();
/** The roles that workers/deployment/logins.sql grants to each login. */
const ROLES = {
  worker: 'servicing_app, servicing_worker',
  migrator: 'servicing_owner',
} as const;
const nameOf = (login: string) => `ops_${login}_${process.pid}`;
for (const [login, roles] of Object.entries(ROLES))
  await superuser.query(`create role ${nameOf(login)} login in role ${roles}`);
afterAll(async () => {
  for (const login of Object.keys(ROLES)) {
    await superuser.query(`drop owned by ${nameOf(login)}`);
    await superuser.query(`drop role ${nameOf(login)}`);
  }
  await superuser.end();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the operation as in production. Returns its exit code and output. */
async function runAs(login: keyof typeof ROLES, [name, ...words]: string[]) {
  const url = new URL(database.url);
  url.username = nameOf(login);
  const printed: string[] = [];
  const listening = [
    ...(['log', 'error', 'table'] as const).map((way) =>
      vi.spyOn(console, way).mockImplementation((text: unknown) => void printed.push(String(text))),
    ),
    vi.spyOn(process.stderr, 'write').mockImplementation(() => true),
  ];
  try {
    const code = await runOperation(name, words, {
      DATABASE_URL: url.href,
      NODE_ENV: 'production',
      SECRET: 'a secret of production, long enough',
      DATA_DIR: folder,
      NEW_PASSWORD: 'correct horse battery',
    });
    return { code, printed: printed.join('\n') };
  } catch (error) {
    return { code: 'threw', printed: `${(error as Error).message}\n${printed.join('\n')}` };
  } finally {
    for (const heard of listening) heard.mockRestore();
  }
}

const file = path.join(folder, 'bank.zip');
for (const [name, text] of Object.entries(sdnFiles([{ name: 'TESTOV, Ivan' }])))
  writeFileSync(path.join(folder, `${name}.csv`), text);
/** One use of each operation, ordered so that each finds the records it needs. */
const USES: readonly string[][] = [
  ['create-tenant', 'bank', '--domains', 'bank.test', '--business-date', '2026-01-01'],
  ['create-user', 'ada@bank.test', '--role', 'superadmin', '--tenant', 'bank'],
  ['check-tenant', 'bank'],
  ['settings', '--tenant', 'bank'],
  ['reset-second-factors', 'ada@bank.test', '--tenant', 'bank'],
  ['operators', 'bank', '--reason', 'A test.'],
  ['close', '--tenant', 'bank', '--through', '2025-12-31'],
  ['status'],
  ['pools'],
  ['runs'],
  ['pauses'],
  ['changes'],
  ['failed'],
  ['jobs'],
  ['failures'],
  ['schedules'],
  ['webhooks'],
  ['closes'],
  ['sub-pools'],
  ['slots'],
  ['pause', 'pool', 'outbound', '--reason', 'A test.'],
  ['resume', 'pool', 'outbound', '--reason', 'A test.'],
  ['retry', '1'],
  ['job', '1'],
  ['change-jobs', 'run-now', '1', '--reason', 'A test.'],
  ['quarantined', '--tenant', 'bank'],
  ['secrets'],
  ['refold', 'look', '--tenant', 'bank'],
  ['restored', 'look'],
  ['recount'],
  ['sanctions-list', 'import', folder, '--published', '2026-01-02'],
  ['sanctions-list'],
  ['export-book', '--tenant', 'bank', path.join(folder, 'book')],
  ['tenant', 'close', 'bank'],
  ['tenant', 'open', 'bank'],
  ['tenant', 'export', 'bank', file],
  ['tenant', 'import', file],
];
const loginOf = (name = '') => {
  const operation = OPERATIONS.find((known) => known.name === name);
  return operation && 'login' in operation ? operation.login : 'worker';
};

test('every operation can run in production with the login that its help names', async () => {
  const outcomes: Record<string, Awaited<ReturnType<typeof runAs>>> = {};
  for (const use of USES) outcomes[use.join(' ')] = await runAs(loginOf(use[0]), use);

  const unused = OPERATIONS.filter(({ name }) => !USES.some(([used]) => used === name));
  const refused = Object.entries(outcomes).filter(
    ([, { code, printed }]) => code === 'threw' || /permission denied|must be owner/.test(printed),
  );
  expect(unused.map(({ name }) => name)).toEqual([]);
  expect(refused).toEqual([]);
});

test('an operation run with the wrong login names the right one', async () => {
  const asWorker = await runAs('worker', ['recount']);
  const asMigrator = await runAs('migrator', ['status']);

  expect(asWorker).toMatchObject({ code: 'threw', printed: expect.stringContaining('"migrator"') });
  expect(asMigrator).toMatchObject({ code: 'threw', printed: expect.stringContaining('"api"') });
});
