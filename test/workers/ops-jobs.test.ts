import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { DEFAULT_INSTALLATION } from '../../jobs/installation.ts';
import { SYSTEM, createWithin } from '../../jobs/work.ts';
import { SCHEDULE } from '../../jobs/operations/schedule.ts';
import { openPool, sql, type Transaction } from '../../sql/database/db.ts';
import * as operations from '../../sql/queue/worker-operations.ts';
import { recordJobFailure } from '../../sql/queue/workers.ts';
import { createTenant } from '../../workers/ops/create-tenant.ts';
import { changeJobs, listFailureCauses, showJob, listJobs } from '../../workers/ops/jobs.ts';
import type { Operation } from '../../workers/ops/operation.ts';
import { setOperators, listSchedules } from '../../workers/ops/platform.ts';
import { cloneDatabase } from '../setup/database.ts';

const database = await cloneDatabase();
const owner = await openPool(database.url, { role: 'servicing_worker', size: 2 });
const app = await openPool(database.url, { size: 2 });
afterAll(async () => {
  await Promise.all([owner.end(), app.end()]);
  await database.drop();
});

type Wish = { options?: Record<string, string> };

/** Runs an operator's command without a shell. */
const ask = async (operation: Operation, words: string[], { options = {} }: Wish) =>
  operation.run({
    url: database.url,
    owner,
    app,
    words,
    options,
    newPassword: undefined,
    installation: DEFAULT_INSTALLATION,
  });

await ask(createTenant, ['bank'], { options: { domains: 'bank.test' } });
const tenantId = await app.oneFirst(
  sql.type(z.object({ id: z.string() }))`select id from app.active_tenants()`,
);

test('jobs are found, counted before all of them change, and returned with numeric values', async () => {
  await app.query(sql.typeAlias('void')`
    select app.add_jobs('print-letter', array(
      select json_build_object('letter', number) from generate_series(1, 3) as number
    ), now(), 3, array_fill(null::text, array[3]))
  `);
  const options = { kind: 'print-letter' };
  const why = { ...options, reason: 'Wrong letters.', by: 'ann' };

  const found = await ask(listJobs, [], { options });
  const told = await ask(changeJobs, ['cancel', 'all'], { options: why });
  const done = await ask(changeJobs, ['cancel', 'all'], { options: { ...why, expected: '3' } });
  const number = String(found.rows?.[0]?.['number']);

  expect(found.rows).toMatchObject([{ kind: 'print-letter', attempts: 0 }, {}, {}]);
  expect(typeof found.rows?.[0]?.['number']).toBe('number');
  expect(told).toMatchObject({ rows: [{ matching: 3, changed: 0 }], code: 1 });
  expect(done).toMatchObject({ rows: [{ matching: 3, changed: 3, left: 0 }], code: 0 });
  expect((await ask(listJobs, [], { options })).rows).toEqual([]);
  expect((await ask(listFailureCauses, [], {})).rows).toMatchObject([
    { jobs: 3, kind: 'print-letter' },
  ]);
  expect((await ask(showJob, [number], {})).rows).toMatchObject([{ state: 'failed', errors: [] }]);
});

const Row = z.object({
  id: z.string(),
  attempts: z.int(),
  max_attempts: z.int(),
  key: z.string().nullable(),
  priority: z.int(),
  line: z.string(),
});
const rowsOf = (key: string) =>
  owner.any(sql.type(Row)`
    select job.id, attempts, max_attempts, key, priority, queue_name as line
    from graphile_worker._private_jobs as job
    join graphile_worker._private_job_queues as queue on queue.id = job.job_queue_id
    where key = ${key}
  `);

test('a canceled job keeps its identity and is retried as the same job', async () => {
  await owner.query(sql.typeAlias('void')`
    select graphile_worker.add_job('print-letter', '{"letter": 4}', 'line', max_attempts => 9,
      job_key => 'fourth', priority => 7)
  `);
  await owner.query(sql.typeAlias('void')`
    update graphile_worker._private_jobs set attempts = 2 where key = 'fourth'
  `);
  const [waiting] = await rowsOf('fourth');
  const number = waiting?.id ?? '';
  const options = { reason: 'Wrong letter.', by: 'ann' };

  await ask(changeJobs, ['cancel', number], { options });
  const canceled = await ask(showJob, [number], {});
  const kept = await rowsOf('fourth');
  const again = await ask(changeJobs, ['cancel', number], { options });
  await ask(changeJobs, ['retry', number], { options });

  expect(canceled.rows).toMatchObject([
    { state: 'failed', attempts: 2, max_attempts: 9, error: 'Canceled by operations.' },
  ]);
  expect(kept).toEqual([{ ...waiting, attempts: 9 }]);
  expect(again.rows).toMatchObject([{ changed: 0 }]);
  expect(await rowsOf('fourth')).toEqual([{ ...waiting, attempts: 0 }]);
});

test('a job that is retried while its last attempt is being reported is not duplicated', async () => {
  await owner.query(sql.typeAlias('void')`
    update graphile_worker._private_jobs
    set attempts = max_attempts, locked_by = 'w', locked_at = now() where key = 'fourth'
  `);
  const [running] = await rowsOf('fourth');
  const number = running?.id ?? '';
  await recordJobFailure(owner, {
    job_id: number,
    task: 'print-letter',
    payload: {},
    attempts: 9,
    error: 'No paper.',
  });

  const done = await ask(changeJobs, ['retry', number], { options: { reason: 'Paper came.' } });

  expect(done.rows).toMatchObject([{ changed: 1 }]);
  expect(await rowsOf('fourth')).toEqual([{ ...running, attempts: 0 }]);
  const all = await ask(listJobs, [], { options: { kind: 'print-letter' } });
  expect(all.rows).toEqual([]);
});

test.each([
  [listJobs, [], { state: 'lost' }, '--state is one of'],
  [listJobs, [], { tenant: 'nobody' }, 'There is no tenant'],
  [listJobs, [], { older: 'long' }, '--older takes a number of seconds'],
  [listJobs, [], { cause: 'x' }, '--cause only works with --state failed'],
  [listJobs, [], { state: 'scheduled', older: '9' }, '--older does not work with'],
  [showJob, ['0'], {}, 'There is no such job'],
  [changeJobs, ['burn', '1'], {}, 'Use one of'],
  [changeJobs, ['cancel', 'x'], {}, 'Give the numbers'],
  [changeJobs, ['cancel', '1'], {}, '--reason'],
  [changeJobs, ['reschedule', '1'], { reason: 'x' }, '--at MOMENT'],
  [changeJobs, ['reschedule', '1'], { reason: 'x', at: 'soon' }, '--at takes a moment'],
  [setOperators, ['nobody'], { reason: 'x' }, 'There is no tenant'],
] as const)(
  '$0.name with $1 and $2 is a usage error',
  async (operation, words, options, reason) => {
    await expect(ask(operation, [...words], { options })).rejects.toThrow(reason);
  },
);

test('an operation sets the operators’ tenant, and another lists the schedule', async () => {
  const named = await ask(setOperators, ['bank'], { options: { reason: 'They operate it.' } });

  expect(named.rows).toEqual([{ operators: 'bank' }]);
  expect((await ask(listSchedules, [], {})).rows).toHaveLength(SCHEDULE.length);
});

/** Everything that the application's role may do within a tenant, without the checks of endpoints. */
const asTenant = <Answer>(steps: (tx: Transaction) => Promise<Answer>) =>
  createWithin(app, SYSTEM)(tenantId, ({ tx }) => steps(tx));
const BY = { who: 'mallory', why: 'She wants to.' };

test('a tenant without operators sees no jobs, pauses, processes or reasons of others', async () => {
  await ask(createTenant, ['platform'], { options: { domains: 'platform.test' } });
  await ask(setOperators, ['platform'], { options: { reason: 'They do, from now on.' } });
  await operations.pauseWork(owner, { pool: 'ledger' }, { who: 'ann', why: 'Acme floods us.' });
  await operations.pauseWork(
    owner,
    { tenant_id: tenantId },
    { who: 'ann', why: 'You asked for it.' },
  );
  await operations.setSlots(owner, 'ledger', 3, BY);
  await recordJobFailure(owner, {
    job_id: '9001',
    task: 'print-letter',
    payload: { tenant_id: tenantId },
    attempts: 9,
    error: 'Own.',
  });

  const TABLES = [
    'operations_log',
    'operators',
    'pool_slots',
    'sub_pools',
    'worker_pools',
    'job_runs',
  ];
  const counted = await asTenant(async (tx) => {
    const found: number[] = [];
    for (const table of TABLES) {
      const name = sql.identifier(['app', table]);
      found.push((await tx.any(sql.unsafe`select from ${name}`)).length);
    }
    return found;
  });
  const failed = await asTenant((tx) => tx.any(sql.unsafe`select error from app.failed_jobs`));
  const paused = await asTenant((tx) => operations.listPauses(tx));

  expect(counted).toEqual(TABLES.map(() => 0));
  expect(failed).toEqual([{ error: 'Own.' }]);
  expect(paused).toMatchObject([
    { pool: 'ledger', reason: null, paused_by: null },
    { tenant: 'bank', reason: 'You asked for it.', paused_by: null },
  ]);
});

test.each([
  ['pause', (tx: Transaction) => operations.pauseWork(tx, { pool: 'outbound' }, BY)],
  ['resume', (tx: Transaction) => operations.resumeWork(tx, { pool: 'ledger' }, BY)],
  ['give slots', (tx: Transaction) => operations.setSlots(tx, 'ledger', 200, BY)],
  ['part a pool', (tx: Transaction) => operations.defineSubPool(tx, 'ledger:own', [], BY)],
  ['retry any job', (tx: Transaction) => operations.retryFailedJob(tx, tenantId)],
  [
    'write the log',
    (tx: Transaction) => tx.any(sql.unsafe`select app.log_operation('a', 'b', '{}', 'c')`),
  ],
  ['relay', (tx: Transaction) => tx.any(sql.unsafe`select app.create_deliveries(1)`)],
  ['count all jobs', (tx: Transaction) => tx.any(sql.unsafe`select app.queue_status()`)],
])('nor can it %s', async (_what, steps) => {
  const before = await operations.listPauses(owner);

  await expect(asTenant(async (tx) => void (await steps(tx)))).rejects.toMatchObject({
    code: '42501',
  });
  expect(await operations.listPauses(owner)).toEqual(before);
});
