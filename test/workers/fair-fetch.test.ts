import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { sql } from '../../sql/database/db.ts';
import { newWorkerStage } from './stage.ts';

let stage: Awaited<ReturnType<typeof newWorkerStage>>;
beforeAll(async () => {
  stage = await newWorkerStage();
});
afterAll(() => stage.end());

test('tenants whose jobs are all of later take no share of a fetch from those whose jobs are due', async () => {
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

test('a fetch planned while the queue was empty reads no whole queue: 20,000 jobs of later cost some pages', async () => {
  const jobs = sql.identifier(['graphile_worker', '_private_jobs']);
  await stage.owner.query(sql.typeAlias('void')`
    select graphile_worker.add_job('many', json_build_object('tenant_id', ${stage.tenantId}::text))
  `);
  await stage.owner.query(sql.typeAlias('void')`delete from ${jobs}`);
  await stage.owner.query(sql.typeAlias('void')`analyze graphile_worker._private_jobs`);

  const blocks = await stage.owner.connect(async (session) => {
    const fetch = async () => {
      const [answer] = await session.any(sql.type(Explained)`
        explain (analyze, buffers, timing off, format json) select * from app.take_jobs('t', 'many', array(
          select id from graphile_worker._private_tasks where identifier = 'many'
        ), 4)
      `);
      const plan = answer?.['QUERY PLAN'][0].Plan;
      return (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0);
    };
    await fetch();
    await session.query(sql.typeAlias('void')`
      insert into ${jobs} (task_id, payload, run_at)
      select id, json_build_object('tenant_id', ${stage.tenantId}::text), now() + interval '1 day'
      from graphile_worker._private_tasks cross join generate_series(1, 20000) where identifier = 'many'
    `);
    return fetch();
  });
  const pages = await stage.count(sql.fragment`
    select from generate_series(1, pg_relation_size('graphile_worker._private_jobs') / 8192)
  `);

  expect(pages).toBeGreaterThan(300);
  expect(blocks).toBeLessThan(100);
});
