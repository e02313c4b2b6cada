import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { receivePayment } from '../../../jobs/payments/receive.ts';
import { sql } from '../../../sql/database/db.ts';
import { mapConcurrently } from '../../../sql/database/batch-by-transaction.ts';
import { balancesOf, boardLoan, snapshotOf, payLoan, fetchLoan } from '../../setup/after-close.ts';
import { newLoan } from '../../setup/loans.ts';
import { newMonthEnd, EXPECTED_BALANCE } from '../../setup/month-ends.ts';
import { runJobs, travelTo } from '../../setup/queue.ts';
import { newTapeConfig } from '../../setup/tape-files.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();
const { theCloseHasPassed, theCloseHasAccrued, theCloseIsPlanned } = newMonthEnd(stage);

const LAST_DAY = '2026-01-31';
const WINDOWS = [
  ['posted the day’s interest', theCloseHasAccrued],
  ['passed the loan', theCloseHasPassed],
] as const;

test.each(WINDOWS)(
  'a payment after the close has %s counts in the day’s snapshot',
  async (_, until) => {
    const { tenant, ids, endDay } = await until(2);
    const [id = '', other = ''] = ids;

    const paid = await payLoan(tenant, id, '500.00');
    await endDay();

    expect(paid.status).toBe(201);
    expect((await snapshotOf(tenant, id)).principal_balance).toBe('9537.26');
    expect((await snapshotOf(tenant, other)).principal_balance).toBe('10000.00');
    for (const each of ids)
      expect(balancesOf(await snapshotOf(tenant, each))).toEqual(
        balancesOf(await fetchLoan(tenant, each)),
      );
    expect(await violationsIn(stage)).toEqual([]);
  },
);

test('a payment that is reversed after the close passed does not count', async () => {
  let payment = '';
  const before = async (on: Tenant, [first = '']: string[]) => {
    payment = (await payLoan(on, first, '500.00')).body.id;
  };
  const { tenant, ids, endDay } = await theCloseHasPassed(1, { before });
  const [id = ''] = ids;

  const early = await snapshotOf(tenant, id);
  await tenant.officer.post(`/payments/${payment}/reverse`, { reason: 'nsf' });
  await endDay();

  const kept = await snapshotOf(tenant, id);
  expect([early.principal_balance, kept.principal_balance]).toEqual(['9537.26', '10000.00']);
  expect(kept.last_payment_date).toBeNull();
  expect(balancesOf(kept)).toEqual(balancesOf(await fetchLoan(tenant, id)));
  expect(await violationsIn(stage)).toEqual([]);
});

test('a loan that is paid off after the close passed is not on that day’s books', async () => {
  const { tenant, ids, endDay } = await theCloseHasPassed(2);
  const [id = '', other = ''] = ids;

  await payLoan(tenant, id, EXPECTED_BALANCE);
  await endDay();

  expect((await fetchLoan(tenant, id)).status).toBe('paid_off');
  expect(await snapshotOf(tenant, id)).toBeNull();
  expect(await snapshotOf(tenant, other)).toMatchObject({ total_balance: EXPECTED_BALANCE });
  expect(await violationsIn(stage)).toEqual([]);
});

test('a loan that is paid off then and reopened before the day ends is on that day’s books', async () => {
  const { tenant, ids, endDay } = await theCloseHasPassed(1);
  const [id = ''] = ids;

  const { body } = await payLoan(tenant, id, EXPECTED_BALANCE);
  await tenant.officer.post(`/payments/${body.id}/reverse`, { reason: 'nsf' });
  await endDay();

  expect(await snapshotOf(tenant, id)).toMatchObject({
    status: 'active',
    total_balance: EXPECTED_BALANCE,
  });
});

test('a loan that is funded or boarded after the close passed is on that day’s books', async () => {
  const { tenant, signed, endDay } = await theCloseHasPassed(1);

  await tenant.officer.post(`/loans/${signed}/disburse`, {});
  const boarded = await boardLoan(tenant, '2025-12-15');
  await endDay();

  for (const id of [signed, boarded])
    expect(balancesOf(await snapshotOf(tenant, id))).toEqual(
      balancesOf(await fetchLoan(tenant, id)),
    );
  expect(await snapshotOf(tenant, signed)).toMatchObject({ accrued_interest: '2.33' });
  expect(await snapshotOf(tenant, boarded)).toMatchObject({ principal_balance: '3000.00' });
  expect(await violationsIn(stage)).toEqual([]);
});

test('a charge-off after the close passed is announced on that day', async () => {
  const { tenant, ids, endDay } = await theCloseHasPassed(1);
  const [id = ''] = ids;

  const admin = await tenant.signedIn('admin');
  await admin.post(`/loans/${id}/charge-off`, { force: true });
  await endDay();

  expect(await snapshotOf(tenant, id)).toMatchObject({
    status: 'charged_off',
    principal_balance: '0.00',
    charge_off_balance: '10000.00',
  });
  const Told = z.object({ from_date: z.string(), charge_off_date: z.string().nullable() });
  const told = await tenant.within(({ tx }) =>
    tx.any(sql.type(Told)`
      select from_date, charge_off_date from loan_attribute_history where loan_id = ${id} order by 1
    `),
  );
  expect(told.at(-1)).toEqual({ from_date: LAST_DAY, charge_off_date: LAST_DAY });
});

test('simultaneous payments after the close passed all count', async () => {
  const { tenant, ids, endDay } = await theCloseHasPassed(3);

  await tenant.within((work) =>
    mapConcurrently(ids, (id) =>
      receivePayment(work, id, { amount: '500.00', payment_type: 'regular' }),
    ),
  );
  await endDay();

  for (const id of ids)
    expect(await snapshotOf(tenant, id)).toMatchObject({ principal_balance: '9537.26' });
  expect(await violationsIn(stage)).toEqual([]);
});

test('a payment in progress when the close starts or ends is in the snapshot', async () => {
  for (const until of [theCloseIsPlanned, theCloseHasPassed]) {
    const { tenant, ids, endDay } = await until(1);
    const [id = ''] = ids;
    const ended: Promise<unknown>[] = [];

    await tenant.within(async (work) => {
      await receivePayment(work, id, { amount: '500.00', payment_type: 'regular' });
      ended.push(endDay());
      await pause(300);
    });
    await Promise.all(ended);

    expect(balancesOf(await snapshotOf(tenant, id))).toEqual(
      balancesOf(await fetchLoan(tenant, id)),
    );
    expect(await snapshotOf(tenant, id)).toMatchObject({ principal_balance: '9537.26' });
  }
});

test('days end while payments come and go, and each snapshot equals the ledger', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant, { principal_amount: '100000.00' });
  const shift = new AbortController();
  const officer = async (amount: string) => {
    while (!shift.signal.aborted) {
      const paid = await payLoan(tenant, id, amount);
      await tenant.officer.post(`/payments/${paid.body.id}/reverse`, { reason: 'nsf' });
      await payLoan(tenant, id, amount);
    }
  };

  const officers = ['10.01', '20.02'].map(officer);
  await travelTo(stage, tenant, '2026-01-22');
  shift.abort();
  await Promise.all(officers);

  const Day = z.object({ day: z.string(), kept: z.string(), booked: z.string() });
  const days = await tenant.within(({ tx }) =>
    tx.any(sql.type(Day)`
      select snapshot_date as day, principal_balance as kept, (
        select sum(line.debit - line.credit) from journal_lines as line
        join journal_entries as entry on entry.id = line.entry_id
        where entry.loan_id = loan_snapshots.loan_id and line.role = 'loans_receivable'
          and entry.entry_date <= snapshot_date
      )::numeric(15, 2) as booked
      from loan_snapshots order by 1
    `),
  );
  expect(days.map(({ kept }) => kept)).toEqual(days.map(({ booked }) => booked));
  expect(days).toHaveLength(7);
});

test('portfolios and tapes count events after the close passed their loans', async () => {
  const inPortfolio = async (on: Tenant, loan_ids: string[]) => {
    const admin = await on.signedIn('admin');
    const { body } = await admin.post('/portfolios', { name: 'All' });
    await admin.post(`/portfolios/${body.id}/assign-loans`, { loan_ids });
  };
  const { tenant, ids, endDay } = await theCloseHasPassed(2, { before: inPortfolio });

  const admin = await tenant.signedIn('admin');
  const tape = await newTapeConfig(stage, tenant, admin, { columns: ['principal_balance'] });
  await payLoan(tenant, ids[0] ?? '', '500.00');
  const tapes = [await tape.rows(LAST_DAY)];
  await endDay();
  tapes.push(await tape.rows(LAST_DAY));
  await runJobs(stage, {}, ['snapshot-portfolios']);

  const totals = await tenant.within(({ tx }) =>
    tx.anyFirst(sql.type(z.object({ total_principal: z.string() }))`
      select total_principal from portfolio_snapshots
      where snapshot_date = ${LAST_DAY} and investor_id is null
    `),
  );
  expect(totals).toEqual(['19537.26']);
  const rows = ['9537.26', '10000.00'].map((principal_balance) => ({ principal_balance }));
  expect(tapes).toEqual([rows, rows]);
});

test('a loan whose refold fails is quarantined, and the day ends for all other loans', async () => {
  const { tenant, ids, endDay, today } = await theCloseHasPassed(3);
  const [broken = '', id = ''] = ids;

  for (const each of [broken, id]) await payLoan(tenant, each, '500.00');
  await stage.owner.query('update loan_outlook set interest_basis = 0 where loan_id = $1', [
    broken,
  ]);
  await endDay();

  expect(await today()).toBe('2026-02-01');
  expect(await snapshotOf(tenant, id)).toMatchObject({ principal_balance: '9537.26' });
  expect(await snapshotOf(tenant, broken)).toMatchObject({ principal_balance: '10000.00' });
  const aside = await tenant.within(({ tx }) =>
    tx.any(sql.type(z.object({ loan_id: z.string(), step: z.string() }))`
      select loan_id, step from cob_loan_errors
    `),
  );
  expect(aside).toEqual([{ loan_id: broken, step: 'snapshot' }]);
  await stage.owner.query('update loan_outlook set interest_basis = 1 where loan_id = $1', [
    broken,
  ]);
});

test('snapshots of past days and of unchanged loans are not withdrawn', async () => {
  const { tenant, ids, endDay } = await theCloseHasPassed(2);
  const takeBack = () =>
    tenant.within(({ tx }) =>
      tx.anyFirst(sql.type(z.object({ loan_id: z.string() }))`
        select loan_id from app.delete_snapshots(${sql.array(ids, 'uuid')})
      `),
    );

  const untouched = await takeBack();
  await payLoan(tenant, ids[0] ?? '', '500.00');
  await endDay();
  const ended = await takeBack();

  expect([untouched, ended]).toEqual([[], []]);
  for (const id of ids) expect(await snapshotOf(tenant, id)).not.toBeNull();
});
