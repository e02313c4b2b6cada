import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { closeLoans, startClose } from '../../../jobs/business-day/close-loans.job.ts';
import { serializeChunkWork } from '../../../jobs/business-day/run-steps.ts';
import { addDays } from '../../../jobs/dates.ts';
import { SYSTEM, createWithin } from '../../../jobs/work.ts';
import * as steps from '../../../sql/business-day/chunk-steps.ts';
import * as chunks from '../../../sql/business-day/close-chunks.ts';
import { sql } from '../../../sql/database/db.ts';
import { eventTypes, balancesByRole } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { runJobs, travelTo } from '../../setup/queue.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();
const lent = { within: createWithin(stage.pool, SYSTEM) } as never;

const accrualsOf = (tenant: Tenant, loanId: string) =>
  tenant.within(({ tx }) =>
    tx.one(sql.type(z.object({ rows: z.string(), amount: z.string().nullable() }))`
      select count(*) as rows, sum(amount) as amount from interest_accruals where loan_id = ${loanId}
    `),
  );

test('daily interest adds up to the rounded total in the books, to the cent', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);

  await travelTo(stage, tenant, '2026-02-15');
  const balances = await tenant.officer.get(`/loans/${loan.id}/get-balances`);

  expect(await accrualsOf(tenant, loan.id)).toEqual({ rows: '31', amount: '72.19' });
  expect(balances.body.accrued_interest).toBe('72.19');
  expect(await balancesByRole(tenant)).toEqual({
    loans_receivable: '10000.00',
    cash: '-10000.00',
    interest_receivable: '72.19',
    interest_income: '-72.19',
  });
});

test('a chunk that runs again, or twice at the same time, closes its day once', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  const run = await tenant.within((work) => startClose(work, '2026-01-15'));
  const payload = { tenant_id: tenant.id, run_id: run?.id ?? '', chunk: 1 };

  await Promise.all([closeLoans.run(payload, lent), closeLoans.run(payload, lent)]);
  await closeLoans.run(payload, lent);

  expect(await accrualsOf(tenant, loan.id)).toEqual({ rows: '1', amount: '2.33' });
  expect(await tenant.within(async ({ today }) => today)).toBe('2026-01-16');
});

test('a process works on one chunk at a time and continues after one that failed', async () => {
  const log: string[] = [];
  const work = (name: string, fails = false) =>
    serializeChunkWork(async () => {
      log.push(`${name} starts`);
      await stage.pool.query(sql.typeAlias('void')`select`);
      log.push(`${name} ends`);
      if (fails) throw new Error(name);
    });

  const outcomes = await Promise.allSettled([work('first'), work('second', true), work('third')]);

  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(log).toEqual(
    ['first', 'second', 'third'].flatMap((name) => [`${name} starts`, `${name} ends`]),
  );
});

test('a chunk that was interrupted after its snapshots is completed by the next run', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  const run = await tenant.within((work) => startClose(work, '2026-01-15'));
  const payload = { tenant_id: tenant.id, run_id: run?.id ?? '', chunk: 1 };
  await tenant.within(async ({ tx }) => {
    const chunk = await chunks.findChunk(tx, payload.run_id, 1);
    if (chunk) await steps.snapshotLoans(tx, chunk, '2026-01-15', false);
  });

  await closeLoans.run(payload, lent);

  const kept = await tenant.officer.get(`/loan-snapshots?loan_id=${loan.id}`);
  expect(kept.body).toMatchObject([{ snapshot_date: '2026-01-15' }]);
  const aside = 'select loan_id from cob_loan_errors where tenant_id = $1';
  expect((await stage.owner.query(aside, [tenant.id])).rows).toEqual([]);
  expect(await tenant.within(async ({ today }) => today)).toBe('2026-01-16');
});

test('the table for a new month’s interest exists before the first chunk, so no chunk waits', async () => {
  const tenant = await stage.tenant('2031-05-01');
  const tables = async () =>
    (await stage.owner.query("select to_regclass('interest_accruals_203105') as name")).rows;

  const before = await tables();
  await tenant.within((work) => startClose(work, '2031-05-01'));

  expect([before, await tables()]).toEqual([
    [{ name: null }],
    [{ name: 'interest_accruals_203105' }],
  ]);
});

test('a delinquency bucket and a late fee each occur once, on their day', async () => {
  const tenant = await stage.tenant('2026-01-25');
  const admin = await tenant.signedIn('admin');
  const fee_rules = [
    { fee_type: 'late', calculation: 'flat', amount: '25.00', trigger: 'past_due', grace_days: 10 },
  ];
  const program_id = await tenant.first('/programs');
  const product = await admin.post('/products', {
    program_id,
    name: 'With late fees',
    code: 'LATE',
    fee_rules,
  });
  const loan = await newLoan(tenant, { product_id: product.body.id, payment_day: 1 });

  await travelTo(stage, tenant, '2026-03-01');
  const onDueDate = await tenant.officer.get(`/loans/${loan.id}`);
  await travelTo(stage, tenant, '2026-03-02');
  const dayAfter = await tenant.officer.get(`/loans/${loan.id}`);
  await travelTo(stage, tenant, '2026-03-12');
  const inGrace = await tenant.officer.get(`/loans/${loan.id}`);
  await travelTo(stage, tenant, '2026-03-14');
  const afterGrace = await tenant.officer.get(`/loans/${loan.id}`);

  expect(product.status, JSON.stringify(product.body)).toBe(201);
  expect(onDueDate.body).toMatchObject({
    next_payment_date: '2026-03-01',
    days_past_due: 0,
    delinquency_bucket: 'current',
  });
  expect(dayAfter.body).toMatchObject({ days_past_due: 1, delinquency_bucket: 'dpd_1_29' });
  expect(inGrace.body.outstanding_fees).toBe('0.00');
  expect(afterGrace.body.outstanding_fees).toBe('25.00');
  expect(
    (await eventTypes(tenant)).filter((type) =>
      ['delinquency.changed', 'fee.assessed'].includes(type),
    ),
  ).toEqual(['delinquency.changed', 'fee.assessed']);
});

test('a scheduled payment is made on its date', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  const scheduled = await tenant.officer.post(`/loans/${loan.id}/payments`, {
    amount: '315.68',
    payment_date: '2026-01-20',
  });

  await travelTo(stage, tenant, '2026-01-20');
  const waiting = await tenant.officer.get(`/payments/${scheduled.body.id}`);
  await travelTo(stage, tenant, '2026-01-21');
  const made = await tenant.officer.get(`/payments/${scheduled.body.id}`);

  expect(scheduled).toMatchObject({
    status: 201,
    body: { status: 'scheduled', principal_applied: '0.00' },
  });
  expect(waiting.body.status).toBe('scheduled');
  expect(made.body).toMatchObject({
    status: 'completed',
    effective_date: '2026-01-20',
    interest_applied: '11.64',
  });
});

const START = '2026-01-15';
const aPayment = fc.record({
  day: fc.integer({ min: 0, max: 34 }),
  amount: fc.integer({ min: 500, max: 20_000 }),
});

test('late entries of payments give the same balances and books as timely entries', async () => {
  const END = addDays(START, 35);

  await fc.assert(
    fc.asyncProperty(
      fc.array(aPayment, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 0, max: 3 }),
      async (given, reversals) => {
        const payments = given.map(({ day, amount }) => ({
          amount: (amount / 100).toFixed(2),
          payment_date: addDays(START, day),
        }));
        const inOrder = await stage.tenant(START);
        const loan = await newLoan(inOrder, { principal_amount: '900.00' });
        for (const payment of payments.toSorted((one, other) =>
          one.payment_date < other.payment_date ? -1 : 1,
        )) {
          await travelTo(stage, inOrder, payment.payment_date);
          await inOrder.officer.post(`/loans/${loan.id}/payments`, payment);
        }
        await travelTo(stage, inOrder, END);

        const late = await stage.tenant(START);
        const twin = await newLoan(late, { principal_amount: '900.00' });
        await travelTo(stage, late, END);
        for (const payment of payments)
          await late.officer.post(`/loans/${twin.id}/payments`, payment);
        for (const payment of payments.slice(0, reversals)) {
          const extra = await late.officer.post(`/loans/${twin.id}/payments`, payment);
          await late.officer.post(`/payments/${extra.body.id}/reverse`, { reason: 'duplicate' });
        }

        const [one, other] = await Promise.all([
          inOrder.officer.get(`/loans/${loan.id}/get-balances`),
          late.officer.get(`/loans/${twin.id}/get-balances`),
        ]);
        expect(other.body).toEqual(one.body);
        expect(await balancesByRole(late)).toEqual(await balancesByRole(inOrder));
      },
    ),
    { numRuns: Number(process.env['LIVES'] ?? 2), endOnFailure: true },
  );
}, 900_000);

test('payments that arrive while the day is being closed lose no cent of interest', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  const paying = async () => {
    for (let count = 0; count < 20; count += 1)
      await tenant.officer.post(`/loans/${loan.id}/payments`, { amount: '50.00' });
  };

  await Promise.all([paying(), travelTo(stage, tenant, '2026-01-25')]);
  await runJobs(stage, { within: createWithin(stage.pool, SYSTEM) }, ['close-loans']);
  const { body } = await tenant.officer.get(`/loans/${loan.id}`);
  const books = await balancesByRole(tenant);

  expect(books['loans_receivable']).toBe(body.principal_balance);
  expect(books['interest_receivable'] ?? '0.00').toBe(body.accrued_interest);
});

test('a quarantined loan is closed and audited by the next close', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const late = { fee_type: 'late', calculation: 'flat', amount: '25.00', trigger: 'past_due' };
  const product_id = await newProduct(tenant, { fee_rules: [{ ...late, grace_days: 0 }] });
  const loan = await newLoan(tenant, { product_id });
  const setFee = (amount: string) =>
    stage.owner.query(
      `update loans set terms = jsonb_set(terms, '{fee_rules,0,amount}', to_jsonb($2::text))
       where id = $1`,
      [loan.id, amount],
    );
  const quarantinedLoans = async () =>
    (
      await stage.owner.query<{ is_open: boolean }>(
        'select resolved_at is null as is_open from cob_loan_errors where loan_id = $1',
        [loan.id],
      )
    ).rows.map(({ is_open }) => is_open);

  await setFee('unreadable');
  await travelTo(stage, tenant, '2026-02-18');
  const broken = await quarantinedLoans();
  await setFee('25.00');
  await travelTo(stage, tenant, '2026-02-19');

  const { body } = await tenant.officer.get(`/loans/${loan.id}`);
  expect(broken).toEqual([true, true]);
  expect(await quarantinedLoans()).toEqual([false, false]);
  expect(body.outstanding_fees).toBe('25.00');
});
