import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { sql } from '../../sql/database/db.ts';
import { listChanges } from '../../sql/operations/platform.ts';
import * as operations from '../../sql/queue/worker-operations.ts';
import { releaseJobs } from '../../sql/queue/workers.ts';
import { eventually, newWorkerStage, numbered } from './stage.ts';

let stage: Awaited<ReturnType<typeof newWorkerStage>>;
let big = '';
let small = '';
const BY = { who: 'ann', why: 'A test.' };
const Taken = z.object({ id: z.string(), attempts: z.int(), tenant: z.string() });
const ran: { task: string; tenant_id: string; number: number }[] = [];
let running = 0;
let most = 0;

/** A job that takes time, so that other jobs wait behind it. */
const taking = (name: string, ms: number) =>
  numbered(name, async ({ tenant_id, number }) => {
    running += 1;
    most = Math.max(most, running);
    await wait(ms);
    running -= 1;
    ran.push({ task: name, tenant_id, number });
  });
const jobs = [taking('statement', 20), taking('letter', 20)];

const has = (task: string, tenant_id: string, number = 1) =>
  ran.some((run) => run.task === task && run.tenant_id === tenant_id && run.number === number);
const enqueue = (task: string, tenant_id: string, count: number) =>
  stage.owner.query(sql.typeAlias('void')`
    select app.add_jobs(${task}, array(
      select json_build_object('tenant_id', ${tenant_id}::uuid, 'number', number)
      from generate_series(1, ${count}::integer) as number
    ), now(), 3, array_fill(null::text, array[${count}::integer]))
  `);
/** Fetches like a worker that never finishes its jobs, which therefore stay locked. */
const take = (worker: string, task: string, wanted: number) =>
  stage.owner.any(sql.type(Taken)`
    select id, attempts, payload ->> 'tenant_id' as tenant from app.take_jobs(${worker}, ${task}, array(
      select id from graphile_worker._private_tasks where identifier = ${task}
    ), ${wanted})
  `);
const waiting = (tenant_id: string) =>
  stage.count(sql.fragment`
    select from graphile_worker._private_jobs where payload ->> 'tenant_id' = ${tenant_id}
  `);
/** As if all waiting jobs were done. Running jobs are not touched. */
const empty = () =>
  stage.owner.query(sql.typeAlias('void')`
    delete from graphile_worker._private_jobs where locked_at is null
  `);
const locked = sql.fragment`
  select from graphile_worker._private_jobs where locked_at is not null
`;
/**
 * Waits until the jobs that started before a pause have ended. Fetches of a pool wait for each other: after
 * one more fetch, which takes nothing, every fetch from before the pause is over.
 */
const idle = async () => {
  await take('t', 'ledger', 0);
  expect(await eventually(() => stage.count(locked), 0)).toBe(0);
};
const peak = async (ms: number) => {
  most = 0;
  await wait(ms);
  return most;
};

beforeAll(async () => {
  stage = await newWorkerStage();
  [big, small] = [await stage.tenant('big'), await stage.tenant('small')];
});
afterAll(() => stage.end());

test('a tenant’s month end delays no other tenant, and no other kind of its own jobs', async () => {
  await operations.setSlots(stage.owner, 'ledger', 1, BY);
  await stage.work(jobs);
  await enqueue('statement', big, 3_000);
  await eventually(() => has('statement', big), true);

  await enqueue('statement', small, 1);
  await enqueue('letter', big, 1);
  const served = await eventually(() => has('statement', small) && has('letter', big), true, 5_000);

  expect(served).toBe(true);
  expect(await waiting(big)).toBeGreaterThan(2_500);
});

test('slots can be changed at run time without a restart', async () => {
  await operations.setSlots(stage.owner, 'ledger', 5, BY);
  const more = await eventually(() => peak(200), 5);
  await operations.setSlots(stage.owner, 'ledger', 3, BY);
  const fewer = await eventually(() => peak(200), 3);
  const told = await eventually(
    async () => (await operations.listProcesses(stage.owner))[0]?.slots,
    3,
  );
  await operations.setSlots(stage.owner, 'ledger', null, BY);
  const own = await eventually(() => peak(200), 2);

  expect({ more, fewer, told, own }).toEqual({ more: 5, fewer: 3, told: 3, own: 2 });
});

test('pausing a tenant leaves the others running, uses no attempt and loses nothing', async () => {
  await operations.pauseWork(stage.owner, { tenant_id: big }, BY);
  await idle();
  const before = await waiting(big);
  await enqueue('statement', small, 40);

  await eventually(() => has('statement', small, 40), true);

  expect(has('statement', small, 40)).toBe(true);
  expect(await waiting(big)).toBe(before);
  // A running job's attempt is already counted.
  const spent = sql.fragment`
    select from graphile_worker._private_jobs where attempts > 0 and locked_at is null
  `;
  expect(await stage.count(spent)).toBe(0);
  expect(await operations.resumeWork(stage.owner, { tenant_id: big }, BY)).toBe(true);
  expect(await eventually(async () => (await waiting(big)) < before, true)).toBe(true);
});

test('a pause with a kind and a tenant holds only jobs that match both', async () => {
  const both = { task: 'statement', tenant_id: big };
  await operations.pauseWork(stage.owner, both, BY);
  await idle();
  const before = ran.filter(({ task, tenant_id }) => task === 'statement' && tenant_id === big);

  await enqueue('letter', big, 2);
  await enqueue('statement', small, 41);
  await eventually(() => has('letter', big, 2) && has('statement', small, 41), true);

  expect([has('letter', big, 2), has('statement', small, 41)]).toEqual([true, true]);
  const after = ran.filter(({ task, tenant_id }) => task === 'statement' && tenant_id === big);
  expect(after).toHaveLength(before.length);
  expect(await operations.resumeWork(stage.owner, { tenant_id: big }, BY)).toBe(false);
  expect(await operations.resumeWork(stage.owner, both, BY)).toBe(true);
  await empty();
});

test('a sub-pool has its kinds to itself while one of its processes lives; otherwise its pool runs them', async () => {
  await operations.defineSubPool(stage.owner, 'ledger:letters', ['letter'], BY);
  await operations.pauseWork(stage.owner, { pool: 'ledger:letters' }, BY);
  await enqueue('letter', small, 3);
  await enqueue('statement', small, 42);
  await eventually(() => has('statement', small, 42), true);
  const held = has('letter', small, 3);
  const letters = await stage.work(jobs, { name: 'ledger:letters' });
  const signed = async () =>
    (await operations.listProcesses(stage.owner)).some(({ name }) => name === 'ledger:letters');
  await eventually(signed, true);
  await operations.pauseWork(stage.owner, { pool: 'ledger' }, BY);
  await operations.resumeWork(stage.owner, { pool: 'ledger:letters' }, BY);
  await wait(1_500);
  const heldByBoth = has('letter', small, 3);

  await operations.resumeWork(stage.owner, { pool: 'ledger' }, BY);
  const byItself = await eventually(() => has('letter', small, 3), true);
  await letters.stop();
  await enqueue('letter', small, 4);

  expect({ held, heldByBoth, byItself }).toEqual({
    held: false,
    heldByBoth: false,
    byItself: true,
  });
  expect(await eventually(() => has('letter', small, 4), true)).toBe(true);
  await operations.defineSubPool(stage.owner, 'ledger:letters', [], BY);
  expect(await operations.listSubPools(stage.owner)).toEqual([]);
});

test('every change records who, what and why, and cannot be altered', async () => {
  const [newest, before] = await listChanges(stage.owner, 2);

  expect(newest).toMatchObject({
    who: 'ann',
    action: 'sub-pool',
    why: 'A test.',
    details: {
      sub_pool: 'ledger:letters',
      tasks: [],
    },
  });
  expect(before).toMatchObject({ action: 'resume', details: { pool: 'ledger' } });
  const falsified = stage.owner.query(sql.typeAlias('void')`
    update app.operations_log set why = 'Something else.'
  `);
  await expect(falsified).rejects.toThrow();
  const unsaid = operations.pauseWork(stage.owner, { pool: 'ledger' }, { who: 'ann', why: '' });
  await expect(unsaid).rejects.toThrow();
  expect(await operations.listPauses(stage.owner)).toEqual([]);
});

test('concurrent fetches never take a job twice, and alternate between tenants', async () => {
  await operations.pauseWork(stage.owner, { pool: 'ledger' }, BY);
  await idle();
  await empty();
  await operations.resumeWork(stage.owner, { pool: 'ledger' }, BY);
  await stage.owner.query(sql.typeAlias('void')`
    select graphile_worker.add_job('other', json_build_object('tenant_id', tenant))
    from unnest(array[${big}, ${big}, ${big}, ${big}, ${big}, ${big}, ${big}, ${small}]) as tenant
  `);

  const first = await take('t', 'other', 2);
  const three = [1, 2, 3].map(() => take('t', 'other', 2));
  const others = (await Promise.all(three)).flat();

  expect(first.map(({ tenant }) => tenant).toSorted()).toEqual([big, small].toSorted());
  expect(new Set([...first, ...others].map(({ id }) => id)).size).toBe(8);
  expect(await take('t', 'other', 2)).toEqual([]);
});

test('jobs of a named queue run one at a time and in order, on any worker', async () => {
  await stage.owner.query(sql.typeAlias('void')`
    select graphile_worker.add_job('lined', json_build_object('tenant_id', ${big}::text), line, priority => at::integer)
    from unnest(array['one', 'one', 'one', 'two', 'two']) with ordinality as given (line, at)
  `);
  const take = () =>
    stage.owner.any(sql.type(z.object({ id: z.string(), line: z.string() }))`
      select job.id, line.queue_name as line
      from app.take_jobs('t', 'lined', array(
        select id from graphile_worker._private_tasks where identifier = 'lined'
      ), 10) as job
      join graphile_worker._private_job_queues as line on line.id = job.job_queue_id
      order by line.queue_name
    `);

  const [first, both] = await Promise.all([take(), take()]);
  const taken = [...first, ...both];
  await stage.owner.query(sql.typeAlias('void')`
    select graphile_worker.complete_jobs(array[${taken.find(({ line }) => line === 'one')?.id ?? ''}::bigint])
  `);
  await stage.owner.query(sql.typeAlias('void')`
    update graphile_worker._private_job_queues set locked_by = null, locked_at = null where queue_name = 'one'
  `);

  expect(taken.map(({ line }) => line).toSorted()).toEqual(['one', 'two']);
  expect((await take()).map(({ line }) => line)).toEqual(['one']);
  expect(await take()).toEqual([]);
});

test('a job that is returned frees its queue: it and the jobs behind it are taken again', async () => {
  await stage.owner.query(sql.typeAlias('void')`
    select graphile_worker.add_job('given-back', json_build_object('tenant_id', ${big}::text), 'returned')
  `);
  const [lost] = await take('cut-off', 'given-back', 1);

  await releaseJobs(stage.owner, 'cut-off', [lost?.id ?? '']);

  expect(await take('cut-off', 'given-back', 1)).toEqual([
    { id: lost?.id, attempts: 1, tenant: big },
  ]);
});
