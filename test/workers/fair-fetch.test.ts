import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DatabasePoolConnection } from 'slonik';
import { z } from 'zod';
import { sql } from '../../sql/database/db.ts';
import { newWorkerStage } from './stage.ts';

let stage: Awaited<ReturnType<typeof newWorkerStage>>;
beforeAll(async () => {
  stage = await newWorkerStage();
});
afterAll(() => stage.end());

test('tenants with only future jobs take no share of a fetch', async () => {
  await stage.owner.query(sql.typeAlias('void')`
    select graphile_worker.add_job('later', json_build_object('tenant_id', uuidv7()), run_at => now() + interval '1 day')
    from generate_series(1, 50)
  `);
  await stage.owner.query(sql.typeAlias('void')`
    select graphile_worker.add_job('later', json_build_object('tenant_id', ${stage.tenantId}::text))
    from generate_series(1, 20)
  `);

  const taken = await stage.owner.any(sql.type(z.object({ id: z.string() }))`
    select id from app.take_jobs('t', 'later', array(
      select id from graphile_worker._private_tasks where identifier = 'later'
    ), 16)
  `);

  expect(taken).toHaveLength(16);
});

const Explained = z.object({
  'QUERY PLAN': z.tuple([
    z.object({ Plan: z.object({ 'Shared Hit Blocks': z.int(), 'Shared Read Blocks': z.int() }) }),
  ]),
});

/** How many pages a fetch of this kind of job reads with the session's cached plan. */
async function pagesRead(session: Pick<DatabasePoolConnection, 'any'>, kind: string) {
  const [answer] = await session.any(sql.type(Explained)`
    explain (analyze, buffers, timing off, format json) select * from app.take_jobs('t', 'ledger', array(
      select id from graphile_worker._private_tasks where identifier = ${kind}
    ), 4)
  `);
  const plan = answer?.['QUERY PLAN'][0].Plan;
  return (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0);
}

const jobs = sql.identifier(['graphile_worker', '_private_jobs']);
type Batch = { kind: string; count: number; days: number };
const add = (to: Pick<DatabasePoolConnection, 'query'>, { kind, count, days }: Batch) =>
  to.query(sql.typeAlias('void')`
    insert into ${jobs} (task_id, payload, run_at)
    select task.id, json_build_object('tenant_id', tenant.id), now() + make_interval(days => ${days})
    from graphile_worker._private_tasks as task
    cross join (select uuidv7() as id from generate_series(1, 10)) as tenant
    cross join generate_series(1, ${count}::integer / 10)
    where task.identifier = ${kind}
  `);
/** Registers the kind. */
const begin = (kind: string) =>
  stage.owner.query(sql.typeAlias('void')`select graphile_worker.add_job(${kind})`);
const analyze = () => stage.owner.query(sql.typeAlias('void')`analyze ${jobs}`);

test('a fetch planned on an empty queue does not read the whole queue: 20,000 future jobs cost a few pages', async () => {
  await begin('later');
  await stage.owner.query(sql.typeAlias('void')`delete from ${jobs}`);
  await analyze();

  const read = await stage.owner.connect(async (session) => {
    await pagesRead(session, 'later');
    await add(session, { kind: 'later', count: 20_000, days: 1 });
    return pagesRead(session, 'later');
  });
  const whole = await stage.count(sql.fragment`
    select from generate_series(1, pg_relation_size('graphile_worker._private_jobs') / 8192)
  `);

  expect(whole).toBeGreaterThan(300);
  expect(read).toBeLessThan(200);
});

test('a fetch planned with 5,000 due jobs reads no more than it takes of the 20,000 that follow', async () => {
  await begin('due');
  await add(stage.owner, { kind: 'due', count: 5_000, days: 0 });
  await analyze();

  const read = await stage.owner.connect(async (session) => {
    await pagesRead(session, 'due');
    await add(session, { kind: 'due', count: 20_000, days: 0 });
    return pagesRead(session, 'due');
  });

  expect(read).toBeLessThan(400);
});
