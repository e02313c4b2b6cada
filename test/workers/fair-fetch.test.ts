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
