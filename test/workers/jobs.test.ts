import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../sql/database/db.ts';
import { changeJobs } from '../../sql/operations/jobs.ts';
import {
  listFailures,
  pauseWork,
  resumeWork,
  retryFailedJob,
  listRunsToday,
} from '../../sql/queue/worker-operations.ts';
import { eventually, newWorkerStage, numbered } from './stage.ts';

let stage: Awaited<ReturnType<typeof newWorkerStage>>;
const ran: number[] = [];
let isBroken = true;
const OPERATOR = { who: 'operator', why: 'A test.' };
const jobs = [
  numbered('note', async ({ number }) => void ran.push(number)),
  numbered('cost', async ({ number }) => void ran.push(number)),
  numbered('break', async ({ number }) => {
    if (isBroken) throw new Error('It is broken.');
    ran.push(number);
  }),
];
const failedWith = async (task: string) =>
  (await listFailures(stage.owner, 10)).find((failure) => failure.task === task);

beforeAll(async () => {
  stage = await newWorkerStage();
  await stage.work(jobs);
});
afterAll(() => stage.end());

test('an invalid payload fails immediately for good, and the job stays unchanged', async () => {
  await stage.owner.query(sql.typeAlias('void')`
    select graphile_worker.add_job('note', '{"tenant_id": "not-an-id", "number": 2}', 'line', max_attempts => 9,
      job_key => 'mine', priority => 7)
  `);

  await eventually(async () => Boolean(await failedWith('note')), true);
  const failure = await failedWith('note');
  const kept = sql.fragment`
    select from graphile_worker._private_jobs as job
    join graphile_worker._private_job_queues as queue on queue.id = job.job_queue_id
    where key = 'mine' and priority = 7 and max_attempts = 9 and queue_name = 'line'
      and job.locked_at is null
  `;
  const ended = sql.fragment`${kept} and attempts = 9`;
  const isKept = await eventually(() => stage.count(ended), 1);
  await stage.owner.query(sql.typeAlias('void')`
    update graphile_worker._private_jobs set payload = ${JSON.stringify({
      tenant_id: stage.tenantId,
      number: 2,
    })}::json where key = 'mine'
  `);
  const isNotTriedAgain = (await stage.count(kept)) === 1 && !ran.includes(2);
  await retryFailedJob(stage.owner, failure?.id ?? '');

  expect(failure).toMatchObject({ attempts: 1, payload: { tenant_id: 'not-an-id', number: 2 } });
  expect(failure?.error).toContain('tenant_id');
  expect([isKept, isNotTriedAgain]).toEqual([1, true]);
  expect(await eventually(() => ran.includes(2), true)).toBe(true);
});

test('a job whose attempts are used up is visible, and runs again when it is retried', async () => {
  await stage.enqueue('break', { tenant_id: stage.tenantId, number: 3 }, 1);
  await eventually(async () => Boolean(await failedWith('break')), true);
  const failure = await failedWith('break');
  expect(failure?.error).toBe('It is broken.');

  isBroken = false;
  const retried = await retryFailedJob(stage.owner, failure?.id ?? '');

  expect(retried).toBe(true);
  expect(await eventually(() => ran.includes(3), true)).toBe(true);
  expect(await failedWith('break')).toBe(undefined);
  expect(await retryFailedJob(stage.owner, failure?.id ?? '')).toBe(false);
});

test('a paused job kind is not fetched until the pause ends; other kinds continue', async () => {
  await pauseWork(stage.owner, { task: 'break' }, OPERATOR);
  await stage.enqueue('break', { tenant_id: stage.tenantId, number: 4 });
  await stage.enqueue('note', { tenant_id: stage.tenantId, number: 5 });

  await eventually(() => ran.includes(5), true);
  expect(ran).toContain(5);
  expect(ran).not.toContain(4);
  await resumeWork(stage.owner, { task: 'break' }, OPERATOR);

  expect(await eventually(() => ran.includes(4), true)).toBe(true);
});

test('workers are woken when jobs are resumed or retried', async () => {
  isBroken = true;
  await stage.enqueue('break', { tenant_id: stage.tenantId, number: 8 }, 1);
  await eventually(async () => Boolean(await failedWith('break')), true);
  const failure = await failedWith('break');
  const released = sql.fragment`
    select from graphile_worker._private_jobs where locked_at is null and attempts = 1
  `;
  await eventually(() => stage.count(released), 1);
  await pauseWork(stage.owner, { task: 'cost' }, OPERATOR);
  const ear = new pg.Client(stage.url);
  await ear.connect();
  const calls: string[] = [];
  ear.on('notification', ({ payload = '' }) => calls.push(payload));
  await ear.query('listen "jobs:insert"');
  // The listener's own query is answered after all earlier notifications.
  const heard = async (act: () => Promise<unknown>) => {
    await ear.query('select');
    calls.length = 0;
    await act();
    await ear.query('select');
    return [...calls];
  };

  const resumed = await heard(() => resumeWork(stage.owner, { task: 'cost' }, OPERATOR));
  const again = await heard(() => resumeWork(stage.owner, { task: 'cost' }, OPERATOR));
  isBroken = false;
  const retried = await heard(() => retryFailedJob(stage.owner, failure?.id ?? ''));
  const later = await stage.owner.oneFirst(sql.typeAlias('id')`
    select id::text from graphile_worker.add_job(
      'note', ${JSON.stringify({ tenant_id: stage.tenantId, number: 9 })}::json,
      run_at => now() + interval '1 hour'
    )
  `);
  const due = await heard(() =>
    changeJobs(stage.owner, { action: 'run-now', numbers: [later] }, OPERATOR),
  );
  const twice = await heard(() =>
    stage.owner.transaction(async (tx) => {
      await pauseWork(tx, { task: 'cost' }, OPERATOR);
      await pauseWork(tx, { task: 'note' }, OPERATOR);
      await resumeWork(tx, { task: 'cost' }, OPERATOR);
      await resumeWork(tx, { task: 'note' }, OPERATOR);
    }),
  );
  await ear.end();

  const call = ['{"count":1}'];
  expect([resumed, again, retried, due, twice]).toEqual([call, [], call, call, call]);
  expect(await eventually(() => ran.includes(8) && ran.includes(9), true)).toBe(true);
});

test('the jobs of a deactivated tenant wait without spending attempts', async () => {
  const activate = (is_active: boolean) =>
    stage.owner.query(sql.typeAlias('void')`
      update tenants set is_active = ${is_active} where id = ${stage.tenantId}
    `);
  await activate(false);
  await stage.enqueue('note', { tenant_id: stage.tenantId, number: 6 });
  const other = await stage.tenant('busy');
  await stage.enqueue('note', { tenant_id: other, number: 7 });

  await eventually(() => ran.includes(7), true);
  const waiting = sql.fragment`select from graphile_worker._private_jobs where attempts = 0`;

  expect(ran).toContain(7);
  expect(ran).not.toContain(6);
  expect(await stage.count(waiting)).toBe(1);
  await activate(true);
  expect(await eventually(() => ran.includes(6), true)).toBe(true);
});

// Metrics are stored every five seconds, and the previous tests have used most of that time.
test('a job runs with its payload, and its run time is counted', async () => {
  await stage.enqueue('cost', { tenant_id: stage.tenantId, number: 1 });

  const found = await eventually(() => ran.includes(1), true);
  const counted = await eventually(
    async () => (await listRunsToday(stage.owner)).find(({ task }) => task === 'cost')?.runs,
    '1',
  );

  expect(found).toBe(true);
  expect(counted).toBe('1');
});
