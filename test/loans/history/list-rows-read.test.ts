import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { parseList } from '../../../api/endpoints/lists.ts';
import { routes } from '../../../api/routes.ts';
import { addDays } from '../../../jobs/dates.ts';
import { boardLoan } from '../../../jobs/loans/boarding/board-loan.ts';
import { Boarding } from '../../../jobs/loans/boarding/boarding-input.ts';
import { createWithin, SYSTEM, type Work } from '../../../jobs/work.ts';
import { openPool, sql } from '../../../sql/database/db.ts';
import { listRows } from '../../../sql/list.ts';
import { loans } from '../../../sql/loans/loans.ts';
import * as tape from '../../../sql/loans/boarding/tape.ts';
import { insert } from '../../../sql/write.ts';
import { copyLoans } from '../../setup/copy-loans.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();
/** One connection, so that the rows it reads can be counted. */
const pool = await openPool(stage.url, { size: 1 });
const within = createWithin(pool, SYSTEM, stage.installation);
afterAll(() => pool.end());

const DAY = '2026-01-15';
const LOANS = 1_000;
const TIMES = 4;
const LATE = 30;

const list = routes.find(({ method, path }) => method === 'GET' && path === '/loans')?.list;
if (!list) throw new Error('There is no list of loans.');

/** A book whose loans are due on ten days. Any number of them are current, and LATE are past due. */
async function newBook(current: number) {
  const tenant = await stage.tenant(DAY);
  const board = async (work: Work, number: number, paid_through_date: string) => {
    const [product] = await tape.listBoardableProducts(work.tx);
    const borrower_id = await insert(work.tx, 'borrowers', { first_name: 'A', last_name: 'B' });
    const program_id = await tape.firstProgram(work.tx);
    const terms = {
      principal_amount: '6000.00',
      interest_rate: '0.0899',
      term_months: 24,
      origination_date: addDays('2025-07-01', (7 * number) % 25),
      paid_through_date,
    };
    const parents = { borrower_id, program_id, product_id: product?.id };
    await boardLoan(work, Boarding.parse({ ...parents, ...terms }));
  };
  await tenant.within(async (work) => {
    for (let number = 0; number < 10; number += 1) await board(work, number, DAY);
  });
  await copyLoans(stage.url, current - 10, { tenantId: tenant.id });
  await tenant.within(async (work) => {
    for (let number = 0; number < LATE; number += 1)
      await board(work, number, addDays('2025-10-01', 3 * number));
  });
  return tenant;
}

const Read = z.object({ rows: z.coerce.number() });

/** All rows and index entries that the connection has read so far. */
async function readSoFar() {
  await pool.query(sql.typeAlias('void')`select pg_stat_force_next_flush()`);
  return pool.oneFirst(sql.type(Read)`
    select (select sum(seq_tup_read) from pg_stat_user_tables)
      + (select sum(idx_tup_read) from pg_stat_user_indexes) as rows
  `);
}

const sorted = (field: string, direction: string) => ({ sort: JSON.stringify([field, direction]) });
const filtered = (filter: Record<string, unknown>) => ({ filter: JSON.stringify(filter) });

const LISTS = {
  'the most days past due first': sorted('days_past_due', 'DESC'),
  'the fewest days past due first': sorted('days_past_due', 'ASC'),
  'the most days past due of active loans': {
    ...sorted('days_past_due', 'DESC'),
    ...filtered({ status: 'active' }),
  },
  'by bucket, current first': sorted('delinquency_bucket', 'ASC'),
  'by bucket, current last': sorted('delinquency_bucket', 'DESC'),
  'the next to pay first': sorted('next_payment_date', 'ASC'),
  'the last to pay first': sorted('next_payment_date', 'DESC'),
  'of one bucket': filtered({ delinquency_bucket: 'dpd_30_59' }),
  'of all late buckets': filtered({ delinquency_bucket: ['dpd_1_29', 'dpd_30_59', 'dpd_60_89'] }),
  current: filtered({ delinquency_bucket: 'current' }),
  'not in a bucket': filtered({ delinquency_bucket__ne: 'dpd_30_59' }),
  'at least 30 days past due, the most first': {
    ...sorted('days_past_due', 'DESC'),
    ...filtered({ days_past_due__gte: 30 }),
  },
};

async function rowsReadBy(tenantId: string) {
  const costs: Record<string, number> = {};
  for (const [name, request] of Object.entries(LISTS)) {
    const page = parseList(list as NonNullable<typeof list>, { ...request, range: '[0,24]' });
    const ask = () => within(tenantId, ({ tx }) => listRows(tx, loans, page));
    expect((await ask()).total, name).toBeGreaterThan(0);
    const before = await readSoFar();
    await ask();
    costs[name] = (await readSoFar()) - before;
  }
  return costs;
}

test('a list by outlook reads no more rows when the portfolio is four times as large', async () => {
  const small = await newBook(LOANS);
  const large = await newBook(LOANS * TIMES);
  await stage.owner.query('vacuum (analyze)');

  const readOfSmall = await rowsReadBy(small.id);
  const readOfLarge = await rowsReadBy(large.id);

  const grown = Object.entries(readOfLarge)
    .filter(([name, rows]) => rows > (readOfSmall[name] ?? 0) * 1.5 + LOANS / 2)
    .map(([name, rows]) => `${name}: ${readOfSmall[name]} -> ${rows}`);
  expect(grown).toEqual([]);
}, 240_000);
