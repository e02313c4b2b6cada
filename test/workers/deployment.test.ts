import { existsSync, globSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { POOLS } from '../../jobs/job.ts';
import { allJobs } from '../../jobs/all-jobs.ts';
import { API_PROCESS } from '../../workers/processes/children.ts';
import { cloneDatabase } from '../setup/database.ts';

/** Checks that the deployment files name only commands, variables and jobs that exist in the code. */
const ROOT = new URL('../../', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, ROOT), 'utf8');
const files = globSync('workers/deployment/**/*', { cwd: ROOT });

const database = await cloneDatabase();
const superuser = new pg.Pool({ connectionString: database.url, max: 1 });
superuser.on('error', () => {});
const scaler = `t${process.pid}_scaler`;
afterAll(async () => {
  await superuser.query(`drop role if exists ${scaler}`);
  await superuser.end();
  await database.drop();
});

test('every command in the container and service files exists in the repository', () => {
  const commands = files
    .filter((file) => /Dockerfile$|\.(yaml|service)$/.test(file))
    .flatMap((file) =>
      [...read(file).matchAll(/(?:api|sql|workers)\/[\w-]+\.ts/g)].map(([name]) => name),
    );

  expect(new Set(commands).size).toBeGreaterThanOrEqual(4);
  expect(commands.filter((command) => !existsSync(new URL(command, ROOT)))).toEqual([]);
});

test('every way to start the API passes Node the same options as `npm start`', () => {
  const starting = [...files, 'package.json']
    .filter((file) => /(Dockerfile|\.yaml|\.service|\.json)$/.test(file))
    .flatMap((file) =>
      read(file)
        .split('\n')
        .filter((line) => /\bnode\b.*api\/server\.ts/.test(line)),
    );

  expect(starting).toHaveLength(5);
  for (const line of starting) for (const flag of API_PROCESS.flags) expect(line).toContain(flag);
});

type Scaled = {
  kind: string;
  metadata: { name: string };
  spec: { triggers: { metadata: { query: string } }[] };
};

/** The scaling query of each pool. */
const scaled = parseAllDocuments(read('workers/deployment/kubernetes/scaling.yaml'))
  .map((document) => document.toJS() as Scaled)
  .filter(({ kind }) => kind === 'ScaledObject')
  .map(({ metadata, spec }) => [metadata.name, spec.triggers[0]?.metadata.query ?? ''] as const);

test('each pool is scaled by all of its own jobs', () => {
  const named = scaled.map(([pool, query]) => [
    pool,
    [...(query.split('array[')[1] ?? '').matchAll(/'([\w-]+)'/g)].map(([, kind]) => kind),
  ]);

  expect(named).toEqual(
    POOLS.map((pool) => [
      pool,
      allJobs
        .filter((job) => job.pool === pool)
        .map(({ name }) => name)
        .toSorted(),
    ]),
  );
});

test('a login without read access can count a pool’s pending jobs', async () => {
  await superuser.query(`create role ${scaler} login`);
  await superuser.query(
    `select graphile_worker.add_job(kind, '{}') from unnest('{close-loans,deliver-webhook}'::text[]) as kind`,
  );
  const address = new URL(database.url);
  address.username = scaler;
  const client = new pg.Client(address.href);
  onTestFinished(() => client.end());
  await client.connect();
  const ask = async () => {
    const depths: [string, string | undefined][] = [];
    for (const [pool, query] of scaled) {
      const { rows } = await client.query<{ queue_depth: string }>(query);
      depths.push([pool, rows[0]?.queue_depth]);
    }
    return depths;
  };
  const depths = await ask();
  await superuser.query("select app.pause_work('outbound', null, null, 'ann', 'A test.')");
  const paused = await ask();
  const refused = await client
    .query('select payload from graphile_worker._private_jobs')
    .catch((error: Error) => error.message);

  expect(depths).toEqual([
    ['ledger', '1'],
    ['documents', '0'],
    ['outbound', '1'],
  ]);
  expect(paused).toEqual([...depths.slice(0, 2), ['outbound', '0']]);
  expect(refused).toMatch(/permission denied/);
});
