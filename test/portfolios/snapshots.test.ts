import type { QuerySqlToken } from 'slonik';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { snapshotPortfolios } from '../../jobs/portfolios/snapshot.job.ts';
import { sql } from '../../sql/database/db.ts';
import * as snapshots from '../../sql/portfolios/snapshots.ts';
import { insertDailySnapshots } from '../setup/daily-snapshots.ts';
import { accrueSince, insertLoans } from '../setup/loan-rows.ts';
import { travelTo } from '../setup/queue.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();

async function portfolioOf(tenant: Tenant, ...rows: Parameters<typeof insertLoans>[1][]) {
  const admin = await tenant.signedIn('admin');
  const loan_ids = await insertLoans(tenant, ...rows);
  const { id } = (await admin.post('/portfolios', { name: 'All' })).body;
  if (loan_ids.length > 0) await admin.post(`/portfolios/${id}/assign-loans`, { loan_ids });
  return { admin, loan_ids, path: `/portfolios/${id}/snapshots` };
}

test('a snapshot weighs the loans on the books and lists charged-off ones separately', async () => {
  const tenant = await stage.tenant();
  const { admin, path, loan_ids } = await portfolioOf(
    tenant,
    { principal_balance: '6000', interest_rate: '0.1', term_months: 36, outstanding_fees: '25' },
    {
      principal_balance: '3000',
      interest_rate: '0.2',
      term_months: 60,
      delinquency_bucket: 'dpd_30_59',
    },
    { principal_balance: '1000', interest_rate: '0.1', delinquency_bucket: 'dpd_120_149' },
    { principal_balance: '0', status: 'charged_off', charge_off_balance: '700' },
    { principal_balance: '0', status: 'paid_off' },
    { principal_balance: '0', status: 'approved' },
  );

  // Ten days at 1.50 plus the snapshot's own: 16.50 of interest.
  await accrueSince(tenant, loan_ids[1] ?? '', { from: '2026-01-05', yearly: '547.5' });

  const taken = await admin.post(path);

  expect(taken).toMatchObject({
    status: 201,
    body: {
      snapshot_date: '2026-01-15',
      total_loans: 4,
      total_principal: '10000.00',
      total_outstanding: '10041.50',
      weighted_average_rate: '0.130000',
      weighted_average_term: 43,
      delinquency_rate: '0.400000',
      default_rate: '0.500000',
    },
  });
  expect(taken.body.by_bucket).toEqual({
    current: 1,
    dpd_1_29: 0,
    dpd_30_59: 1,
    dpd_60_89: 0,
    dpd_90_119: 0,
    dpd_120_149: 1,
  });
});

test('an empty portfolio has a snapshot of zeros, and a repeat keeps its id', async () => {
  const tenant = await stage.tenant();
  const { admin, path } = await portfolioOf(tenant);

  const first = await admin.post(path, { snapshot_date: '2026-01-15' });
  const second = await admin.post(path);
  const list = await admin.get(path);

  expect(first.body).toMatchObject({
    total_loans: 0,
    total_principal: '0.00',
    total_outstanding: '0.00',
    weighted_average_rate: '0',
    weighted_average_term: 0,
    delinquency_rate: '0.000000',
    default_rate: '0.000000',
  });
  expect(first.body.by_bucket).toHaveProperty('dpd_90_119', 0);
  expect(second.body.id).toBe(first.body.id);
  expect(list.headers['content-range']).toBe('snapshots 0-0/1');
});

test('a closed day is read from its stored snapshot', async () => {
  const tenant = await stage.tenant();
  const { admin, path, loan_ids } = await portfolioOf(tenant, { principal_balance: '4000' });
  const portfolio = path.split('/')[2];
  await insertDailySnapshots(stage, tenant, loan_ids[0] ?? '', {
    '2026-01-14': { portfolio_id: portfolio },
  });

  const written = await tenant.within((work) => snapshotPortfolios(work, '2026-01-14'));
  const again = await tenant.within((work) => snapshotPortfolios(work, '2026-01-14'));
  const asked = await admin.post(path, { snapshot_date: '2026-01-14' });
  const unknown = await admin.post(path, { snapshot_date: '2026-01-13' });
  const ahead = await admin.post(path, { snapshot_date: '2026-01-16' });
  const kept = await admin.get(
    `/loan-snapshots?portfolio_id=${portfolio}&snapshot_date=2026-01-14`,
  );

  expect([written, again]).toEqual([1, 1]);
  expect(asked.body).toMatchObject({ total_principal: '5000.00', total_outstanding: '5010.00' });
  expect(unknown).toMatchObject({ status: 409, body: { code: 'no_loan_snapshots' } });
  expect(ahead).toMatchObject({
    status: 422,
    body: { errors: { snapshot_date: expect.any(String) } },
  });
  expect(kept.body).toMatchObject([{ loan_id: loan_ids[0], interest_rate: '0.1' }]);
});

test('a closed day uses the term reported for it, for all portfolios or for one', async () => {
  const tenant = await stage.tenant();
  const { admin, path, loan_ids } = await portfolioOf(tenant, { principal_balance: '4000' });
  const portfolio_id = path.split('/')[2];
  const [loan_id = ''] = loan_ids;
  await insertDailySnapshots(stage, tenant, loan_id, {
    '2026-01-12': { portfolio_id },
    '2026-01-13': { portfolio_id },
    '2026-01-14': { portfolio_id },
  });
  await stage.owner.query(
    `insert into loan_attribute_history (tenant_id, loan_id, from_date, program, product, term_months,
       payment_frequency, modification_count)
     select tenant_id, loan_id, told.day, program, product, told.term, payment_frequency, 0
     from loan_attribute_history cross join (values (date '2026-01-13', 48), ('2026-01-14', 60)) as told (day, term)
     where loan_id = $1`,
    [loan_id],
  );

  for (const [snapshot_date, weighted_average_term] of [
    ['2026-01-12', 36],
    ['2026-01-13', 48],
    ['2026-01-14', 60],
  ] as const) {
    await tenant.within((work) => snapshotPortfolios(work, snapshot_date));
    const { body: all } = await admin.get(`${path}?snapshot_date=${snapshot_date}`);
    const { body: alone } = await admin.post(path, { snapshot_date });
    expect(all).toMatchObject([{ snapshot_date, weighted_average_term }]);
    expect(alone).toMatchObject({ snapshot_date, weighted_average_term });
  }
});

test('a day whose close stored its loans’ terms uses these, not the reported ones', async () => {
  const tenant = await stage.tenant('2026-01-14');
  const { admin, path, loan_ids } = await portfolioOf(
    tenant,
    { principal_balance: '4000', term_months: 36 },
    { principal_balance: '4000', term_months: 60 },
  );
  await travelTo(stage, tenant, '2026-01-15');
  await stage.owner.query(
    'update loan_attribute_history set term_months = 1 where loan_id = any($1)',
    [loan_ids],
  );

  const { body } = await admin.post(path, { snapshot_date: '2026-01-14' });

  expect(body).toMatchObject({ total_loans: 2, weighted_average_term: 48 });
});

test('portfolio snapshots of twenty thousand loans without table statistics take seconds', async () => {
  const tenant = await stage.tenant('2026-03-02');
  const { path, loan_ids } = await portfolioOf(tenant, { principal_balance: '5000' });
  const portfolio_id = path.split('/')[2];
  await insertDailySnapshots(stage, tenant, loan_ids[0] ?? '', { '2026-03-01': { portfolio_id } });
  for (const table of ['loan_snapshots', 'loan_attribute_history'])
    await stage.owner.query(
      `insert into ${table} select made.* from ${table} as row
       cross join generate_series(1, 20000) as number
       cross join lateral jsonb_populate_record(row, jsonb_build_object(
         'loan_id', lpad(to_hex(number), 32, '0')::uuid, 'id', gen_random_uuid()
       )) as made
       where row.loan_id = $1`,
      [loan_ids[0]],
    );

  const [written] = await tenant.within(async ({ tx }) => {
    // Searching all terms for each loan would take ten times as long.
    await tx.query(sql.typeAlias('void')`set local statement_timeout = '5s'`);
    return snapshots.writePortfolioSnapshots(tx, '2026-03-01', 'recorded');
  });

  const { rows } = await stage.owner.query<{ total_loans: number; term: number }>(
    'select total_loans, weighted_average_term as term from portfolio_snapshots where id = $1',
    [written?.id],
  );
  expect(rows).toEqual([{ total_loans: 20_001, term: 36 }]);
});

test('a portfolio with a balance of more than thirteen digits gets its snapshot', async () => {
  const tenant = await stage.tenant();
  const most = { principal_amount: '9000000000000.00', principal_balance: '9000000000000.00' };
  const { admin, path } = await portfolioOf(tenant, most, most);

  const taken = await admin.post(path);
  const listed = await admin.get(path);

  expect(taken).toMatchObject({
    status: 201,
    body: { total_principal: '18000000000000.00', total_outstanding: '18000000000000.00' },
  });
  expect(listed.body).toMatchObject([{ total_principal: '18000000000000.00' }]);
});

const Plan = sql.type(z.object({ 'QUERY PLAN': z.string() }));

test('summing loans without table statistics sorts none of them', async () => {
  const tenant = await stage.tenant();
  const plans: string[] = [];

  await tenant.within(async ({ tx }) => {
    const explaining = {
      ...tx,
      any: async (asked: QuerySqlToken) => {
        const [text, { values }] = [`explain (costs off) ${asked.sql}`, asked];
        const lines = await tx.any(Object.freeze({ ...Plan`explain`, sql: text, values }));
        plans.push(lines.map((line) => line['QUERY PLAN']).join('\n'));
        return tx.any(asked);
      },
    };
    await snapshots.writePortfolioSnapshots(explaining, '2026-01-14', 'recorded');
  });

  expect(plans.join('\n').match(/Sort Key: .*/g)).toEqual(['Sort Key: portfolio.id']);
});
