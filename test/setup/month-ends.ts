import { closeLoans, startClose } from '../../jobs/business-day/close-loans.job.ts';
import { SYSTEM, createWithin, type Within } from '../../jobs/work.ts';
import { z } from 'zod';
import * as chunks from '../../sql/business-day/close-chunks.ts';
import { sql } from '../../sql/database/db.ts';
import { newLoan } from './loans.ts';
import { travelTo } from './queue.ts';
import type { Stage, Tenant } from './world.ts';

const LAST_DAY = '2026-01-31';

/** What a loan of 10,000.00 at 8.5 percent owes on February 1, after 17 days. */
export const EXPECTED_BALANCE = '10039.59';

type Payload = { tenant_id: string; run_id: string; chunk: number };

/** The day that ends (default: January 31), and what happens on it before its close begins. */
type Ending = { day?: string; before?: (tenant: Tenant, ids: string[]) => Promise<unknown> };

const Billed = z.object({ loan_id: z.string(), new_balance: z.string() });

/** The January statements, ordered by loan id. */
export const januaryStatements = (tenant: Tenant) =>
  tenant.within(({ tx }) =>
    tx.any(sql.type(Billed)`
      select loan_id, figures -> 'summary' ->> 'new_balance' as new_balance
      from statements where statement_month = '2026-01-01' order by loan_id
    `),
  );

/** A month end in steps, so that a test can act between any two of them. */
export function newMonthEnd(stage: Stage) {
  const within = createWithin(stage.pool, SYSTEM);
  const lent = { within } as never;

  /** The resources of a worker that is killed as soon as the condition holds. */
  const dyingWhen = (isOver: () => Promise<boolean>) => {
    const last: Within = async (...transaction) => {
      if (await isOver()) throw new Error('killed');
      return within(...transaction);
    };
    return { within: last } as never;
  };

  const chunkOf = async ({ tenant_id, run_id, chunk }: Payload) => {
    const found = await within(tenant_id, ({ tx }) => chunks.findChunk(tx, run_id, chunk));
    if (found === null) throw new Error('Nothing was planned.');
    return found;
  };

  /**
   * Active loans, and an approved loan to be disbursed, on the month's last day, closed as far as `closing`
   * goes.
   */
  async function aMonthEnds(
    count: number,
    closing: (payload: Payload) => Promise<unknown>,
    { day = LAST_DAY, before = async () => {} }: Ending = {},
  ) {
    const tenant = await stage.tenant('2026-01-15');
    const ids: string[] = [];
    for (let made = 0; made < count; made += 1) ids.push((await newLoan(tenant)).id);
    const signed = (await newLoan(tenant, { status: 'approved' })).id;
    await travelTo(stage, tenant, day);
    await before(tenant, ids.toSorted());
    const run = await tenant.within((work) => startClose(work, day));
    const payload = { tenant_id: tenant.id, run_id: run?.id ?? '', chunk: 1 };
    await closing(payload);
    return {
      tenant,
      ids: ids.toSorted(),
      signed,
      endDay: () => closeLoans.run(payload, lent),
      bill: () => closeLoans.run({ ...payload, morning: true }, lent),
      /**
       * Bills with a worker that is killed after `after` transactions. Returns the month that remains
       * unbilled.
       */
      billUntilKilled: async (after: number) => {
        let begun = 0;
        const dying = dyingWhen(async () => (begun += 1) > after);
        await closeLoans.run({ ...payload, morning: true }, dying).catch(() => null);
        return (await chunkOf(payload)).unbilled_month;
      },
      pay: async (id: string) =>
        (await tenant.officer.post(`/loans/${id}/payments`, { amount: '100.00' })).status,
      today: () => tenant.within(async (work) => work.today),
    };
  }

  /** Closes with a worker that is killed as soon as the chunk has progressed this far. */
  const closedUntil = (
    count: number,
    isSoFar: (chunk: chunks.CloseChunk) => boolean,
    ending?: Ending,
  ) => {
    const closing = (payload: Payload) => {
      const dying = dyingWhen(async () => isSoFar(await chunkOf(payload)));
      return closeLoans.run(payload, dying).catch(() => null);
    };
    return aMonthEnds(count, closing, ending);
  };

  return {
    /** The morning of the first: the previous day is closed and no loan is billed yet. */
    aMonthHasEnded: (count: number) =>
      aMonthEnds(count, (payload) => closeLoans.run(payload, lent)),

    /** The same, but the close quarantined the first loan. */
    aMonthHasEndedWithoutOne: (count: number) =>
      aMonthEnds(count, async (payload) => {
        await stage.owner.query(
          `update loan_outlook set interest_basis = 0
           where loan_id = (select id from loans where tenant_id = $1 and status = 'active' order by id limit 1)`,
          [payload.tenant_id],
        );
        await closeLoans.run(payload, lent);
      }),

    /** The close has processed all loans of the day, and the business date has not moved yet. */
    theCloseHasPassed: (count: number, ending?: Ending) =>
      closedUntil(count, ({ done_at }) => done_at !== null, ending),

    /** The day's interest is posted, and no loan's snapshot is stored yet. */
    theCloseHasAccrued: (count: number, ending?: Ending) =>
      closedUntil(count, ({ is_accrued }) => is_accrued, ending),

    /** The close is planned and has not begun. */
    theCloseIsPlanned: (count: number, ending?: Ending) => closedUntil(count, () => true, ending),

    /** The number of queued jobs that order the documents of the January statements. */
    ordersOfDocuments: async ({ id }: Tenant) => {
      const key = `issue-statements:${id}:2026-01-01`;
      const found = await stage.owner.query(`select from graphile_worker.jobs where key = $1`, [
        key,
      ]);
      return found.rows.length;
    },
  };
}
