import { expect, test } from 'vitest';
import { z } from 'zod';
import { startClose } from '../../../jobs/business-day/close-loans.job.ts';
import { queryByHalves } from '../../../jobs/business-day/run-steps.ts';
import * as chunks from '../../../sql/business-day/close-chunks.ts';
import { isInChunk } from '../../../sql/loans/chunk.ts';
import { findQuarantinedLoans } from '../../../sql/business-day/quarantines.ts';
import { sql, type Transaction } from '../../../sql/database/db.ts';
import { balancesByRole } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { travelTo } from '../../setup/queue.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();

const quarantinedLoans = async (tenant: Tenant) =>
  (
    await stage.owner.query<{ loan_id: string; step: string; error: string; is_open: boolean }>(
      `select loan_id, step, error, resolved_at is null as is_open
       from cob_loan_errors where tenant_id = $1 order by id`,
      [tenant.id],
    )
  ).rows;

const newLoans = async (tenant: Tenant, count: number) => {
  const loans = [];
  for (let made = 0; made < count; made += 1)
    loans.push((await newLoan(tenant, { status: 'pending' })).id);
  return loans.toSorted();
};

/** Selects the ids of a chunk's loans with a statement that fails for some loans. */
const failingFor = (bad: readonly string[]) => (tx: Transaction, chunk: chunks.CloseChunk) =>
  tx.any(sql.type(z.object({ id: z.string(), whole: z.int() }))`
    select id, 1 / (id <> all (${sql.array([...bad], 'uuid')}))::integer as whole
    from loans as loan where ${isInChunk(chunk)} order by id
  `);

/** Plans a close of today and runs the statement within its chunk. */
const asked = (tenant: Tenant, ask: ReturnType<typeof failingFor>) =>
  tenant.within(async (work) => {
    const run = await startClose(work, work.today);
    const chunk = await chunks.findChunk(work.tx, run?.id ?? '', 1);
    if (!run || !chunk) throw new Error('Nothing was planned.');
    return queryByHalves(work.tx, { run_id: run.id }, 'trial', chunk, ask);
  });

test.each([
  ['none', []],
  ['the first', [0]],
  ['the last', [8]],
  ['two neighbours', [4, 5]],
  ['each', [0, 1, 2, 3, 4, 5, 6, 7, 8]],
])('of nine loans, those whose statement fails are quarantined: %s', async (_, positions) => {
  const tenant = await stage.tenant('2026-01-15');
  const loans = await newLoans(tenant, 9);
  const bad = loans.filter((_id, position) => positions.includes(position));

  const answered = await asked(tenant, failingFor(bad));

  expect(answered.map(({ id }) => id)).toEqual(loans.filter((id) => !bad.includes(id)));
  const error = 'division by zero (22012)';
  expect(await quarantinedLoans(tenant)).toEqual(
    bad.map((loan_id) => ({ loan_id, step: 'trial', error, is_open: true })),
  );
});

test('a statement that fails for more than fifty loans is treated as wrong, and fails', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loans = await newLoans(tenant, 51);

  const asking = asked(tenant, failingFor(loans));

  await expect(asking).rejects.toThrow('division by zero');
  expect(await quarantinedLoans(tenant)).toEqual([]);
});

test('a lock time-out quarantines no loan: the step is retried', async () => {
  const tenant = await stage.tenant('2026-01-15');
  await newLoans(tenant, 2);
  const busy = () => Promise.reject(Object.assign(new Error('busy'), { code: '57014' }));

  const asking = asked(tenant, busy);

  await expect(asking).rejects.toThrow('busy');
  expect(await quarantinedLoans(tenant)).toEqual([]);
});

test('nightly accrual continues without a failing loan, and catches up later', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loans = [await newLoan(tenant), await newLoan(tenant), await newLoan(tenant)];
  const broken = loans[1]?.id ?? '';
  await stage.owner.query('update loan_outlook set interest_basis = 0 where loan_id = $1', [
    broken,
  ]);

  await travelTo(stage, tenant, '2026-01-16');
  const without = await balancesByRole(tenant);
  const left = await quarantinedLoans(tenant);
  const shown = await tenant.within(({ tx }) => findQuarantinedLoans(tx, 10));
  await travelTo(stage, tenant, '2026-01-17');
  const balances = await tenant.officer.get(`/loans/${broken}/get-balances`);

  expect(without['interest_receivable']).toBe('4.66');
  expect(left.map(({ loan_id, step, error }) => [loan_id, step, error])).toEqual(
    ['accrual', 'snapshot'].map((step) => [broken, step, 'division by zero (22012)']),
  );
  expect(shown.map(({ loan_id, cob_date }) => [loan_id, cob_date])).toEqual(
    left.map(() => [broken, '2026-01-15']),
  );
  expect(balances.body.accrued_interest).toBe('4.66');
  expect((await balancesByRole(tenant))['interest_receivable']).toBe('13.98');
  expect((await quarantinedLoans(tenant)).map(({ is_open }) => is_open)).toEqual(
    left.map(() => false),
  );
  expect(await violationsIn(stage)).toEqual([]);
});

test('of loans charged in parallel, only the failing one is quarantined and the others are charged once', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const late = { fee_type: 'late', calculation: 'flat', amount: '25.00', trigger: 'past_due' };
  const product_id = await newProduct(tenant, { fee_rules: [{ ...late, grace_days: 0 }] });
  const loans = [];
  for (let made = 0; made < 4; made += 1) loans.push((await newLoan(tenant, { product_id })).id);
  const broken = loans[2] ?? '';
  await stage.owner.query(
    `update loans set terms = jsonb_set(terms, '{fee_rules,0,amount}', '"unreadable"') where id = $1`,
    [broken],
  );

  await travelTo(stage, tenant, '2026-02-17');
  const fees = [];
  for (const id of loans)
    fees.push((await tenant.officer.get(`/loans/${id}`)).body.outstanding_fees);

  expect(fees).toEqual(['25.00', '25.00', '0.00', '25.00']);
  expect((await quarantinedLoans(tenant)).map(({ loan_id, step }) => [loan_id, step])).toEqual([
    [broken, 'late_fee'],
  ]);
  expect(await balancesByRole(tenant)).toMatchObject({
    fees_receivable: '75.00',
    fee_income: '-75.00',
  });
  expect(await violationsIn(stage)).toEqual([]);
});
