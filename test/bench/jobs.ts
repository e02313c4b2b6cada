import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { z } from 'zod';
import { job } from '../../jobs/job.ts';
import { openLog } from '../../jobs/monitoring/log.ts';
import { startEmbeddedPostgres } from '../../sql/database/embedded.ts';
import { migrate } from '../../sql/database/migrate.ts';
import { supervisePostgres } from '../../workers/processes/supervise-postgres.ts';
import { POOL_SETTINGS } from '../../workers/queue/pools.ts';
import { startWorker } from '../../workers/queue/worker.ts';
import { nothingOutside } from '../faults/nothing-outside.ts';
import {
  perSecond,
  alternate,
  printProgress,
  parseSize,
  type Bench,
  type Figure,
} from './figures.ts';
import { startGraphileWorker } from './jobs-floor.ts';
import { violationsIn } from './world.ts';

const MANY = 5_000;
const ROUNDS = 5;
const TENANTS = 10;
/** The same number of slots as an outbound process. */
const SETTINGS = POOL_SETTINGS.outbound;

/** Starts fetching jobs and running them with this body. Returns a way to stop. */
export type Runner = (
  url: string,
  slots: number,
  body: () => Promise<void>,
) => Promise<{ stop(): Promise<void> }>;

const RUNNERS = {
  ours: startOwnQueue,
  'the library as it comes': (...given: Parameters<Runner>) => startGraphileWorker(...given, {}),
  'the library fetching and reporting in batches': (...given: Parameters<Runner>) =>
    startGraphileWorker(...given, {
      localQueue: { size: 200 },
      completeJobBatchDelay: SETTINGS.completeTogetherMs ?? 0,
      failJobBatchDelay: SETTINGS.completeTogetherMs ?? 0,
    }),
};

/** Small jobs with our fetch and with the queue library's own, one after the other in each round. */
export const benchJobs: Bench = async (words) => {
  const count = parseSize(words, { usual: MANY, least: 500 });
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-'));
  const postgres = await startEmbeddedPostgres(folder);
  // Stops the server even if the benchmark is aborted.
  const kept = await supervisePostgres(postgres, openLog('silent', { service: 'bench' }));
  await migrate(postgres.url);
  const pool = new pg.Pool({ connectionString: postgres.url, max: 10 });
  // The server stops last.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const bodies = {
    'that do nothing': async () => {},
    'that select once': async () => void (await pool.query('select 1')),
  };
  const figures: Figure[] = [];
  try {
    for (const [what, body] of Object.entries(bodies)) {
      printProgress(`Jobs ${what}, ${ROUNDS} rounds …`);
      figures.push(
        ...(await compareRates(`jobs ${what}`, { url: postgres.url, pool, count, body })),
      );
    }
    const violated = await violationsIn(postgres.url);
    if (violated.length > 0) throw new Error(`Violated afterwards: ${violated.join('; ')}`);
  } finally {
    await pool.end();
    await kept.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return figures;
};

async function compareRates(what: string, task: Task): Promise<Figure[]> {
  const { ours, ...libraries } = RUNNERS;
  const rates = await alternate(ROUNDS, {
    ours: () => measureJobRate(ours, task),
    ...Object.fromEntries(
      Object.entries(libraries).map(([name, runner]) => [name, () => measureJobRate(runner, task)]),
    ),
  });
  return Object.entries(rates)
    .filter(([name]) => name !== 'ours')
    .map(([name, rate]) => ({
      what: `${what}; by ${name}`,
      ours: perSecond(rates.ours),
      floor: perSecond(rate),
      ratio: rates.ours / rate,
    }));
}

type Task = { url: string; pool: pg.Pool; count: number; body: () => Promise<void> };

/** Jobs per second, from the start of the first job until the queue is empty. */
async function measureJobRate(runner: Runner, { url, pool, count, body }: Task): Promise<number> {
  await pool.query(
    `with made as (
       select graphile_worker.add_jobs(array(
         select row('small', json_build_object('tenant_id', tenants.id), null, now(), 5, null, 0, null)::graphile_worker.job_spec
         from generate_series(1, $1::integer) as number
         join (select row_number() over () as number, uuidv7() as id from generate_series(1, ${TENANTS})) as tenants
           on tenants.number = 1 + number.number % ${TENANTS}))
     ) select count(*) from made`,
    [count],
  );
  await pool.query('vacuum analyze graphile_worker._private_jobs');
  let begun = 0;
  let started = 0;
  const running = await runner(url, SETTINGS.concurrency, async () => {
    if (begun === 0) started = performance.now();
    begun += 1;
    await body();
  });
  const left = async () =>
    (
      await pool.query<{ some: boolean }>(
        'select exists (select from graphile_worker._private_jobs) as some',
      )
    ).rows[0]?.some;
  while (await left()) await new Promise((resolve) => setTimeout(resolve, 5));
  const seconds = (performance.now() - started) / 1000;
  await running.stop();
  return count / seconds;
}

async function startOwnQueue(url: string, slots: number, body: () => Promise<void>) {
  const small = job({
    name: 'small',
    pool: 'outbound',
    payload: z.object({ tenant_id: z.uuid() }),
    attempts: 5,
    run: body,
  });
  return startWorker(
    {
      name: 'outbound',
      url,
      jobs: [small],
      log: openLog('silent', {}),
      settings: {
        ...SETTINGS,
        concurrency: slots,
      },
      outside: nothingOutside,
      onFatal: (reason) => {
        throw reason;
      },
    },
    new AbortController().signal,
  );
}
