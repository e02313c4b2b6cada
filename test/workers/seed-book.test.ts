import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Pool } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { addDays } from '../../jobs/dates.ts';
import { createWithin, SYSTEM, type Work } from '../../jobs/work.ts';
import { BOOK_MIN, kindOf } from '../../workers/seed/book/kinds.ts';
import { BOOK_DAYS, planBook } from '../../workers/seed/book/plan-book.ts';
import { compareBooks, listUndecidedTables } from '../setup/compare-books.ts';
import { exportedFiles } from '../setup/exported-books.ts';
import { importBookByHttp } from '../setup/imports.ts';
import { travelTo } from '../setup/queue.ts';
import { seedDatabase, SEED_SECRET } from '../setup/seeded-platform.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage } from '../setup/world.ts';

/** The book begins on this day, and ends 75 days later. */
const START = '2026-03-10';
const END = addDays(START, BOOK_DAYS);

const database = await seedDatabase(START, ['--book', String(BOOK_MIN)]);
const stage = await newStage({ database, secret: SEED_SECRET });
const DATA_DIR = mkdtempSync(path.join(tmpdir(), 'servicing-book-'));
const admin = new Pool({ connectionString: database.url, max: 1 });
afterAll(async () => {
  await admin.end();
  rmSync(DATA_DIR, { recursive: true });
});

/** Runs the seed and returns its exit code and its output. */
async function seed(...words: string[]) {
  const env = {
    DATABASE_URL: database.url,
    SECRET: SEED_SECRET,
    DATA_DIR,
    PATH: process.env['PATH'],
  };
  const child = spawn(process.execPath, ['workers/seed.ts', ...words], { env });
  let output = '';
  child.stdout.on('data', (piece) => (output += String(piece)));
  child.stderr.on('data', (piece) => (output += String(piece)));
  const code = await new Promise((resolve) => child.once('exit', resolve));
  return { code, output };
}

const countsBy = async (column: string, table = 'loans') =>
  new Map(
    (
      await admin.query<{ value: string | null; rows: number }>(
        `select ${column}::text as value, count(*)::integer as rows from ${table}
         where tenant_id = (select id from tenants where slug = 'demo') group by 1`,
      )
    ).rows.map(({ value, rows }) => [value, rows]),
  );

test('a book has a loan in every state, correct ledgers, and is added once', async () => {
  const before = await countsBy('status', 'payments');
  const again = await seed('--book', String(BOOK_MIN));

  expect(again.output).toContain(`already has a book of ${BOOK_MIN} loans`);
  expect(await countsBy('status', 'payments')).toEqual(before);
  const statuses = [
    'active',
    'approved',
    'canceled',
    'charged_off',
    'denied',
    'paid_off',
    'pending',
  ];
  expect(new Set((await countsBy('status')).keys())).toEqual(new Set(statuses));
  const buckets = await countsBy('delinquency_bucket');
  for (const bucket of ['current', 'dpd_1_29', 'dpd_30_59', 'dpd_60_89', 'dpd_90_119'])
    expect(buckets.get(bucket), bucket).toBeGreaterThan(0);
  for (const bucket of ['dpd_120_149', 'dpd_150_179', 'dpd_180_plus'])
    expect(buckets.get(bucket), bucket).toBeGreaterThan(0);
  for (const flag of ['is_frozen', 'is_accelerated', 'is_non_accrual'])
    expect((await countsBy(flag)).get('true'), flag).toBeGreaterThan(0);
  const tables =
    'forbearances deferments payment_plans promises_to_pay modifications loan_promotions draws ' +
    'autopay_plans collateral_items liens notes support_cases hardship_applications ' +
    'credit_disputes payoff_quotes statements co_borrowers nacha_files';
  for (const table of tables.split(' '))
    expect([...(await countsBy('tenant_id', table)).values()][0], table).toBeGreaterThan(0);
  expect(before.get('returned')).toBeGreaterThan(1);
  expect(await violationsIn(database)).toEqual([]);
}, 600_000);

test('the book leaves and comes back equal, and both still are after two months', async () => {
  const { rows } = await admin.query<{ id: string }>(`select id from tenants where slug = 'demo'`);
  const within = <Result>(steps: (work: Work) => Promise<Result>) =>
    createWithin(stage.pool, SYSTEM, stage.installation)(rows[0]?.id ?? '', steps);
  const target = await stage.tenant(END);

  const found = await importBookByHttp(stage, target, await exportedFiles(stage, { within }));
  const atOnce = await compareBooks(stage.url, 'demo', target.slug);
  const violations = await violationsIn(stage);
  for (const tenant of [{ within }, target]) await travelTo(stage, tenant, addDays(END, 61));
  const later = await compareBooks(stage.url, 'demo', target.slug, { later: true });

  expect(found).toEqual([]);
  expect(atOnce.differences).toEqual([]);
  expect(atOnce.rows['loans']).toBeGreaterThan(BOOK_MIN);
  expect(violations).toEqual([]);
  expect(later.differences.filter((line) => !OF_BANK_ORDERS.test(line))).toEqual([]);
}, 600_000);

/** The draws that the source had sent to its bank move from clearing to cash there. */
const OF_BANK_ORDERS = /^trial_balance (1000|1050): /;

test('every table of a tenant comes with its book, or its README says why not', async () => {
  expect(await listUndecidedTables(stage.url)).toEqual([]);
});

test('a book is the same for the same day, and a larger one starts with a smaller one', async () => {
  const day = '2026-09-13';

  const [small, same, large] = await Promise.all([
    planBook(60, day),
    planBook(60, day),
    planBook(120, day),
  ]);

  expect(same).toEqual(small);
  expect(large.slice(0, 60)).toEqual(small);
  expect(kindOf(100)).toEqual(kindOf(0));
});

test('the seed names the sizes that a book may have', async () => {
  const { code, output } = await seed('--book', '3');

  expect(code).toBe(1);
  expect(output).toContain(`from ${BOOK_MIN} to 2000`);
});
