import { expect, test } from 'vitest';
import { z } from 'zod';
import { closeLoans, startClose } from '../../jobs/business-day/close-loans.job.ts';
import * as close from '../../sql/business-day/closes.ts';
import { SYSTEM, workOf, type Within } from '../../jobs/work.ts';
import { sql } from '../../sql/database/db.ts';
import { newLoan } from '../setup/loans.ts';
import { drain, travelTo } from '../setup/queue.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();
const within = workOf(stage.pool, SYSTEM);
const lent = { within } as never;
/** What a worker has that is killed as soon as this is so. */
const dyingWhen = (isOver: () => Promise<boolean>) => {
  const last: Within = async (...transaction) => {
    if (await isOver()) throw new Error('killed');
    return within(...transaction);
  };
  return { within: last } as never;
};
const LAST_DAY = '2026-01-31';

const Billed = z.object({ loan_id: z.string(), new_balance: z.string() });
const billed = (tenant: Tenant) =>
  tenant.within(({ tx }) =>
    tx.any(sql.type(Billed)`
      select loan_id, figures -> 'summary' ->> 'new_balance' as new_balance
      from statements where statement_month = '2026-01-01' order by loan_id
    `),
  );

type Payload = { tenant_id: string; run_id: string; chunk: number };

/** Some loans, and one that is to be paid out, on the last day of the month, of which so much is closed already. */
async function aMonthEnds(count: number, close: (payload: Payload) => Promise<unknown>) {
  const tenant = await stage.tenant('2026-01-15');
  const ids: string[] = [];
  for (let made = 0; made < count; made += 1) ids.push((await newLoan(tenant)).id);
  const signed = (await newLoan(tenant, { status: 'approved' })).id;
  await travelTo(stage, tenant, LAST_DAY);
  const run = await tenant.within((work) => startClose(work, LAST_DAY));
  const payload = { tenant_id: tenant.id, run_id: run?.id ?? '', chunk: 1 };
  await close(payload);
  const pay = async (id: string) => {
    const { status } = await tenant.officer.post(`/loans/${id}/payments`, { amount: '100.00' });
    return status;
  };
  const today = () => tenant.within(async (work) => work.today);
  return {
    tenant,
    ids: ids.toSorted(),
    signed,
    endDay: () => closeLoans.run(payload, lent),
    /** By a worker that is killed after so many transactions. */
    billUntilKilled: async (after: number) => {
      let begun = 0;
      const dying = dyingWhen(async () => (begun += 1) > after);
      await closeLoans.run({ ...payload, bills: true }, dying).catch(() => null);
      return (await chunkOf(payload)).unbilled_month;
    },
    bill: () => closeLoans.run({ ...payload, bills: true }, lent),
    pay,
    today,
  };
}

/** The morning of the first: the day before is closed, and none of the loans is billed yet. */
const aMonthHasEnded = (count: number) =>
  aMonthEnds(count, (payload) => closeLoans.run(payload, lent));

/** The close of the last day has passed all loans, and the day has not ended yet. */
const theCloseHasPassed = (count: number) =>
  aMonthEnds(count, (payload) => {
    const hasPassed = async () => (await chunkOf(payload)).done_at !== null;
    return closeLoans.run(payload, dyingWhen(hasPassed)).catch(() => null);
  });

const chunkOf = async ({ tenant_id, run_id, chunk }: Payload) => {
  const found = await within(tenant_id, ({ tx }) => close.chunk(tx, run_id, chunk, false));
  if (found === null) throw new Error('Nothing was planned.');
  return found;
};

const ordersOfDocuments = async (tenant: Tenant) => {
  const { rows } = await stage.owner.query(`select from graphile_worker.jobs where key = $1`, [
    `issue-statements:${tenant.id}:2026-01-01`,
  ]);
  return rows.length;
};

// 10,000.00 at 8.5 percent, 17 days.
const OWED = '10039.59';

test('who pays before a loan’s turn has come has it billed first, as it was when the day began', async () => {
  const { tenant, ids, pay, bill } = await aMonthHasEnded(2);

  const before = await billed(tenant);
  const status = await pay(ids[0] ?? '');
  const paid = await billed(tenant);
  await bill();
  const all = await billed(tenant);
  const { body } = await tenant.officer.get(`/loans/${ids[0]}/get-balances`);

  expect([before, status]).toEqual([[], 201]);
  expect(paid).toEqual([{ loan_id: ids[0], new_balance: OWED }]);
  expect(all).toEqual(ids.map((loan_id) => ({ loan_id, new_balance: OWED })));
  expect(body.total_balance).toBe('9939.59');
});

test('a payment that is refused leaves the loan to its turn', async () => {
  const { tenant, ids, bill } = await aMonthHasEnded(1);
  const late = { amount: '1.00', effective_date: '2025-01-01' };

  const { status } = await tenant.officer.post(`/loans/${ids[0]}/payments`, late);
  const refused = await billed(tenant);
  await bill();

  expect([status, refused]).toEqual([422, []]);
  expect(await billed(tenant)).toHaveLength(1);
});

test('payments at the same moment as the billing change no statement, and none waits for long', async () => {
  const { tenant, ids, pay, bill } = await aMonthHasEnded(6);

  const [, ...statuses] = await Promise.all([bill(), ...ids.map(pay), bill()]);

  expect(statuses.slice(0, ids.length)).toEqual(ids.map(() => 201));
  expect(await billed(tenant)).toEqual(ids.map((loan_id) => ({ loan_id, new_balance: OWED })));
});

test('a loan that is paid out, or boarded, on the first itself is not billed for the month before', async () => {
  const { tenant, ids, bill } = await aMonthHasEnded(1);

  const fresh = await newLoan(tenant);
  await bill();

  expect((await billed(tenant)).map(({ loan_id }) => loan_id)).toEqual(ids);
  expect(ids).not.toContain(fresh.id);
});

test('a loan that is paid off before its turn has its last statement all the same', async () => {
  const { tenant, ids, bill } = await aMonthHasEnded(1);

  const paid = await tenant.officer.post(`/loans/${ids[0]}/payments`, { amount: OWED });
  await bill();
  const { body } = await tenant.officer.get(`/loans/${ids[0]}`);

  expect([paid.status, body.status]).toEqual([201, 'paid_off']);
  expect(await billed(tenant)).toEqual([{ loan_id: ids[0], new_balance: OWED }]);
});

test('the next day is closed once all are billed, without being asked for again', async () => {
  const { tenant, ids, today } = await aMonthHasEnded(2);

  const planned = await tenant.within((work) => startClose(work, '2026-02-02'));
  const waiting = await today();
  await drain(stage, {}, ['close-loans']);

  expect([planned, waiting]).toEqual([null, '2026-02-01']);
  expect(await today()).toBe('2026-02-03');
  expect(await billed(tenant)).toEqual(ids.map((loan_id) => ({ loan_id, new_balance: OWED })));
  expect(await ordersOfDocuments(tenant)).toBe(1);
});

test('wherever its worker is killed, the month is billed and its documents are ordered by the next', async () => {
  const { tenant, ids, billUntilKilled, bill } = await aMonthHasEnded(1);

  for (let after = 1; (await billUntilKilled(after)) !== null;) after += 1;
  await bill();

  expect((await billed(tenant)).map(({ loan_id }) => loan_id)).toEqual(ids);
  expect(await ordersOfDocuments(tenant)).toBe(1);
});

test('a loan that is paid out on the last day itself is billed, though its close had passed already', async () => {
  const { tenant, ids, signed, endDay, bill } = await theCloseHasPassed(1);

  const { status } = await tenant.officer.post(`/loans/${signed}/disburse`, {});
  await endDay();
  await bill();

  expect(status).toBe(200);
  expect(await billed(tenant)).toEqual([
    { loan_id: ids[0], new_balance: OWED },
    { loan_id: signed, new_balance: '10002.33' },
  ]);
});

test('a loan that is paid off on the last day, and open again on the first, is not billed for the month', async () => {
  const { tenant, ids, endDay, bill } = await theCloseHasPassed(1);

  const paid = await tenant.officer.post(`/loans/${ids[0]}/payments`, { amount: OWED });
  await endDay();
  const back = await tenant.officer.post(`/payments/${paid.body.id}/reverse`, { reason: 'nsf' });
  await bill();
  const { body } = await tenant.officer.get(`/loans/${ids[0]}`);

  expect([paid.status, back.status, body.status]).toEqual([201, 200, 'active']);
  expect(await billed(tenant)).toEqual([]);
});

test('a loan that the close had to set aside is mended and billed, and stops no other', async () => {
  const { tenant, ids, bill, pay, today } = await aMonthEnds(3, async (payload) => {
    await stage.owner.query(
      `update loans set accrual_period_interest = 1, accrual_period_days = 0
       where id = (select id from loans where tenant_id = $1 and status = 'active' order by id limit 1)`,
      [payload.tenant_id],
    );
    await closeLoans.run(payload, lent);
  });

  await bill();
  const statements = await billed(tenant);
  const status = await pay(ids[0] ?? '');
  await drain(stage, {}, ['close-loans']);
  await travelTo(stage, tenant, '2026-02-02');

  expect(statements).toEqual(ids.map((loan_id) => ({ loan_id, new_balance: OWED })));
  expect([status, await today()]).toEqual([201, '2026-02-02']);
  expect(await violationsIn(stage)).toEqual([]);
});
