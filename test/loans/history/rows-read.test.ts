import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createApp, createHttpServer } from '../../../api/http/app.ts';
import { routes } from '../../../api/routes.ts';
import { closeLoans, startClose } from '../../../jobs/business-day/close-loans.job.ts';
import { addDays } from '../../../jobs/dates.ts';
import { boardLoan } from '../../../jobs/loans/boarding/board-loan.ts';
import { Boarding } from '../../../jobs/loans/boarding/boarding-input.ts';
import { openLog } from '../../../jobs/monitoring/log.ts';
import { NewPayment, receivePayment } from '../../../jobs/payments/receive.ts';
import { reversePayment } from '../../../jobs/payments/reverse.ts';
import { SYSTEM, createWithin, type Within } from '../../../jobs/work.ts';
import { openPool, sql } from '../../../sql/database/db.ts';
import * as tape from '../../../sql/loans/boarding/tape.ts';
import { insert } from '../../../sql/write.ts';
import { newClient } from '../../setup/client.ts';
import { copyLoans } from '../../setup/copy-loans.ts';
import { closeThrough } from '../../setup/queue.ts';
import { newStage, PASSWORD } from '../../setup/world.ts';

/**
 * With any table statistics, no statement of a payment, a close or a report reads all rows of a tenant. The
 * test counts pages, which do not depend on the machine, for a book of LOANS loans (default: 1,000) and for
 * one four times as large. LOANS=100000 takes about ten minutes.
 */
const LOANS = Number(process.env['LOANS'] ?? 1_000);
const TIMES = 4;
const MODELS = 4;
const WRITTEN = 40;
const DAY = '2026-01-15';
const DAYS = 14;

const stage = await newStage();
/** One connection, so that the pages it reads can be counted. */
const pool = await openPool(stage.url, { size: 1, statementTimeoutMs: 600_000 });
const within = createWithin(pool, SYSTEM, stage.installation);
const app = createApp({
  pool,
  routes,
  installation: stage.installation,
  configuration: {
    NODE_ENV: 'test',
    TRUSTED_PROXIES: [],
  },
  log: openLog('silent', {}),
  health: { isReady: true },
});
const server: Server = createHttpServer(app, { keepAliveTimeout: 300_000 });
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await pool.end();
});

const Read = z.object({ table: z.string(), rows: z.coerce.number() });
/** Rows read per table, and pages read in total. Index entries that led to no row count too. */
type Cost = Record<string, number>;

/** Everything that the connection has read so far. */
async function readSoFar(): Promise<Cost> {
  await pool.query(sql.typeAlias('void')`select pg_stat_force_next_flush()`);
  const read = await pool.any(sql.type(Read)`
    select relname::text as table, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as rows
    from pg_stat_all_tables where schemaname not like 'pg\_%'
    union all
    select 'pages', sum(coalesce(hits, 0) + coalesce(reads, 0))
    from pg_stat_get_backend_io(pg_backend_pid()) where object = 'relation'
  `);
  return Object.fromEntries(read.map(({ table, rows }) => [table, rows]));
}

async function costOf(act: () => Promise<unknown>, times = 1): Promise<Cost> {
  const before = await readSoFar();
  await act();
  const after = await readSoFar();
  return Object.fromEntries(
    Object.entries(after).map(([table, rows]) => [table, (rows - (before[table] ?? 0)) / times]),
  );
}

/**
 * A tenant with `count` active loans. The statistics still describe the empty tables unless `isAnalyzed`.
 */
async function bookOf(count: number, { isAnalyzed = false } = {}) {
  const tenant = await stage.tenant(DAY);
  await tenant.within(async (work) => {
    const [product] = await tape.listBoardableProducts(work.tx);
    const program_id = await tape.firstProgram(work.tx);
    for (let number = 0; number < MODELS; number += 1) {
      const names = { first_name: 'Ada', last_name: 'Byron' };
      const borrower_id = await insert(work.tx, 'borrowers', names);
      const terms = {
        principal_amount: `${6e3 + 1700 * number}.00`,
        interest_rate: '0.0899',
        term_months: 12,
        origination_date: DAY,
      };
      const parents = { borrower_id, program_id, product_id: product?.id };
      await boardLoan(work, Boarding.parse({ ...parents, ...terms }));
    }
  });
  await copyLoans(stage.url, count - MODELS, { tenantId: tenant.id, isAnalyzed });
  const { rows } = await stage.owner.query<{ id: string }>(
    `select id from loans where tenant_id = $1 order by id`,
    [tenant.id],
  );
  return { tenant, ids: rows.map(({ id }) => id) };
}
type Book = Awaited<ReturnType<typeof bookOf>>;

/**
 * A connection plans the first five runs of a statement for their values and later runs for any values.
 * This connection has run all statements often, so the test chooses the kind of plan.
 */
const planFor = (values: 'these values' | 'any values') =>
  pool.query(
    sql.unsafe`select set_config('plan_cache_mode', ${
      values === 'any values' ? 'force_generic_plan' : 'force_custom_plan'
    }, false)`,
  );

/** Closes the day, with payments after all loans are processed. Returns the pages of each part. */
async function closeWithPayments({ tenant, ids }: Book, turn: number) {
  const today = await within(tenant.id, async (work) => work.today);
  const run = await within(tenant.id, (work) => startClose(work, today));
  const payload = { tenant_id: tenant.id, run_id: run?.id ?? '', chunk: 1 };
  const chunks = run?.chunks_total ?? 0;
  const parts: Record<string, Cost> = {};
  const isDone = async (chunk: number) => {
    const { rows } = await stage.owner.query(
      'select from cob_chunks where run_id = $1 and chunk = $2 and done_at is not null',
      [payload.run_id, chunk],
    );
    return rows.length > 0;
  };
  for (let chunk = 1; chunk <= chunks; chunk += 1) {
    const dying: Within = async (...transaction) => {
      if (await isDone(chunk)) throw new Error('killed');
      return within(...transaction);
    };
    parts['a loan of a chunk'] = await costOf(
      () => closeLoans.run({ ...payload, chunk }, { within: dying } as never).catch(() => null),
      ids.length,
    );
  }
  const payments: string[] = [];
  const pay = async (id: string) => {
    const request = NewPayment.parse({ amount: '10.00' });
    payments.push(await within(tenant.id, (work) => receivePayment(work, id, request)));
  };
  const paid = ids.slice(turn * WRITTEN, (turn + 1) * WRITTEN);
  parts['payments'] = await costOf(async () => {
    for (const id of paid) await pay(id);
  });
  const [first = ''] = payments;
  parts['a reversal'] = await costOf(() =>
    within(tenant.id, (work) => reversePayment(work, first, { reason: 'other' } as never)),
  );
  parts['the end of the day'] = await costOf(() => closeLoans.run(payload, { within } as never));
  return parts;
}

const SUB_LEDGER = '/ledger/loans/{loan_id}/sub-ledger';
/** Every GET route for a single loan. */
const READS = routes
  .filter(({ method, path }) => method === 'GET' && /^(\/ledger)?\/loans\/\{\w+\}/.test(path))
  .map(({ path }) => path)
  .filter((path) => path.split('{').length === 2);

async function costOfReads({ tenant, ids }: Book) {
  const client = newClient((server.address() as AddressInfo).port, tenant.host);
  await client.login(`loan_officer@${tenant.slug}.test`, PASSWORD);
  const costs: Record<string, Cost> = {};
  for (const path of READS) {
    const read = () => client.get(path.replace(/\{\w+\}/, ids[0] ?? ''));
    const { status } = await read();
    if (status === 200) costs[path] = await costOf(read);
  }
  expect(Object.keys(costs).length).toBeGreaterThan(20);
  return costs;
}

/** Removes the statistics of all our tables, as after a restore. */
const forgetStatistics = () =>
  stage.owner.query(`
    select pg_clear_relation_stats('public', relname::text) from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p');
    select pg_clear_attribute_stats('public', relname::text, attname::text, false)
    from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and attname <> 'tenant_id'`);

/** Every tenant has the same few accounts. Whether a plan reads them all or by key says nothing about growth. */
const CHART = 'ledger_accounts';

/** The state of the statistics, and the values that a statement is planned for. */
const KNOWLEDGE = [
  ['stale', 'these values'],
  ['stale', 'any values'],
  ['missing', 'these values'],
  ['missing', 'any values'],
] as const;

test('a payment, a close and a report read no more rows when the book is four times as large', async () => {
  await stage.owner.query(`
    do $$ declare one record; begin
      for one in select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
      loop execute format('alter table %I set (autovacuum_enabled = false)', one.relname); end loop;
    end $$`);
  const old = await bookOf(LOANS, { isAnalyzed: true });
  await closeWithPayments(old, 0);
  await stage.owner.query('analyze');
  const small = await bookOf(LOANS);
  const large = await bookOf(LOANS * TIMES);

  const found: string[] = [];
  for (const [turn, [statistics, values]] of KNOWLEDGE.entries()) {
    if (statistics === 'missing') await forgetStatistics();
    await planFor(values);
    const ofSmall = { ...(await closeWithPayments(small, turn)), ...(await costOfReads(small)) };
    const ofLarge = { ...(await closeWithPayments(large, turn)), ...(await costOfReads(large)) };
    for (const [what, cost] of Object.entries(ofLarge))
      for (const [table, rows] of Object.entries(cost)) {
        if (table === CHART) continue;
        const fewer = ofSmall[what]?.[table] ?? 0;
        if (rows > fewer * 1.5 + LOANS / 2)
          found.push(`${statistics}, planned for ${values}: ${what}: ${table} ${fewer} -> ${rows}`);
      }
  }
  expect(found).toEqual([]);

  const early = (await costOfReads(small))[SUB_LEDGER];
  await closeThrough(stage, small.tenant, addDays(DAY, DAYS - 1));
  const late = (await costOfReads(small))[SUB_LEDGER];
  // Some days were closed before. Each adds a page or two of the index and the entry, and no other loan's
  // rows.
  const days = DAYS - KNOWLEDGE.length;
  expect((late?.['pages'] ?? 0) - (early?.['pages'] ?? 0)).toBeLessThan(days * 40);
  expect(late?.['interest_accruals_202601'] ?? 0).toBeLessThanOrEqual(DAYS);
}, 3_600_000);
