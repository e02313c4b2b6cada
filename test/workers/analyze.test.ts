import { expect, test } from 'vitest';
import { analyzeTables } from '../../jobs/operations/analyze-tables.job.ts';
import { SYSTEM, createWithin } from '../../jobs/work.ts';
import { newLoan } from '../setup/loans.ts';
import { closeThrough } from '../setup/queue.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const analyze = () => analyzeTables.run({}, { within: createWithin(stage.pool, SYSTEM) } as never);
const due = async () =>
  (await stage.owner.query<{ name: string }>('select name from app.tables_to_analyze()')).rows.map(
    ({ name }) => name,
  );

test('the statistics of tables and of partitioned tables are updated once they no longer describe them', async () => {
  const tenant = await stage.tenant('2026-01-15');
  await newLoan(tenant);
  await closeThrough(stage, tenant, '2026-01-16');
  const before = await due();

  await analyze();

  const { rows } = await stage.owner.query<{ tablename: string }>(
    `select distinct tablename from pg_stats where schemaname = 'public' and attname = 'accrual_date'`,
  );
  expect(before).toEqual(expect.arrayContaining(['loans', 'interest_accruals_202601']));
  expect(rows.map(({ tablename }) => tablename)).toEqual(
    expect.arrayContaining(['interest_accruals', 'interest_accruals_202601']),
  );
  expect(await due()).toEqual([]);
});

test('every tenant is assumed to own an equal share of a table', async () => {
  const stage = await newStage();
  const [tenant] = [await stage.tenant('2026-01-15'), await stage.tenant()];
  await newLoan(tenant);
  await closeThrough(stage, tenant, '2026-01-16');

  await analyzeTables.run({}, { within: createWithin(stage.pool, SYSTEM) } as never);
  await stage.owner.query('analyze');

  const { rows } = await stage.owner.query<{ tablename: string }>(
    `select tablename, n_distinct as tenants, most_common_vals as remembered from pg_stats
     where attname = 'tenant_id'
       and tablename in ('loans', 'interest_accruals', 'interest_accruals_202601')
     order by tablename`,
  );
  expect(rows.map(({ tablename }) => tablename)).toEqual([
    'interest_accruals',
    'interest_accruals_202601',
    'loans',
  ]);
  for (const row of rows) expect(row).toMatchObject({ tenants: 2, remembered: null });
});

test('a table is due again when more than 1,000 rows and 2 % of it have changed', async () => {
  const { id } = await stage.tenant('2026-01-15');
  const client = await stage.owner.connect();
  // Otherwise autovacuum may update the statistics first.
  await client.query('alter table borrowers set (autovacuum_enabled = false)');
  const add = async (count: number) => {
    await client.query(
      `insert into borrowers (tenant_id, first_name, last_name)
       select $1::uuid, 'Ada', 'Byron' from generate_series(1, $2::integer)`,
      [id, count],
    );
    await client.query('select pg_stat_force_next_flush()');
    await client.query('select');
    return (await due()).includes('borrowers');
  };

  await analyze();
  const afterNineHundred = await add(900);
  const afterMore = await add(200);
  await analyze();
  const afterAnalyze = await add(0);
  client.release();

  expect([afterNineHundred, afterMore, afterAnalyze]).toEqual([false, true, false]);
});
