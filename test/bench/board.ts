import type pg from 'pg';
import { levelPayment } from '../../jobs/loans/arithmetic/level-payment.ts';
import { boardTape } from '../../jobs/loans/boarding/board-tape.ts';
import type { TapeRow } from '../../jobs/loans/boarding/boarding-tape.ts';
import { money, parseMoney, parseRate } from '../../jobs/money.ts';
import { perSecond, alternate, parseSize, type Bench } from './figures.ts';
import { openWorld, type BenchWorld } from './world.ts';

const ROUNDS = 3;
const TABLES = [
  'borrowers',
  'addresses',
  'loans',
  'loan_events',
  'installments',
  'journal_entries',
  'journal_lines',
  'events',
  'audit_log',
];

/**
 * Boards a tape, compared with inserting the same rows in sets without checks, business rules and foreign
 * keys.
 */
export const benchBoarding: Bench = async (words) => {
  const count = parseSize(words, { usual: 1_000, least: 100 });
  const world = await openWorld();
  let rows = rowsOf(0, count);
  const next = () => boardRows(world, rows);
  await next();
  await createPlainTables(world.admin);
  const took = await alternate(ROUNDS, {
    ours: async () => {
      rows = rowsOf((rows[0]?.line ?? 0) - 2 + count, count);
      return (await measureMs(next)) / count;
    },
    floor: async () => (await measureMs(() => measureCopy(world.admin))) / count,
  });
  await world.close();
  const [ours, floor] = [1_000 / took.ours, 1_000 / took.floor];
  const sizes = `${count.toLocaleString('en')} loans of 24 to 60 installments`;
  return [
    {
      what: `a tape of ${sizes} is boarded; the same rows in sets`,
      ours: perSecond(ours),
      floor: perSecond(floor),
      ratio: ours / floor,
      target: { least: 0.3 },
    },
    {
      what: 'the same, beside 2,000 loans a second',
      ours: perSecond(ours),
      floor: '2,000 a second',
      ratio: ours / 2_000,
      target: { least: 1 },
    },
  ];
};

const measureMs = async (steps: () => Promise<unknown>) => {
  const started = performance.now();
  await steps();
  return performance.now() - started;
};

/** Boards `count` loans numbered after `from`. Returns their ids. */
export const boardLoans = (world: BenchWorld, from: number, count: number) =>
  boardRows(world, rowsOf(from, count));

const boardRows = ({ within, tenant_id }: BenchWorld, rows: readonly TapeRow[]) =>
  within(tenant_id, (work) => boardTape(work, rows, { file: 'bench' }));

const rowsOf = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => rowOf(from + index));

/** Plain tables with the rows that the first tape wrote, which the floor writes again. */
async function createPlainTables(admin: pg.Client) {
  await admin.query('create schema plain');
  for (const table of TABLES) {
    await admin.query(`create table plain.${table}_source as select * from ${table}`);
    await admin.query(
      `create table plain.${table} (like ${table} including all excluding generated)`,
    );
  }
}

/** In one transaction, like a tape. The tables are emptied first so that the keys are free again. */
async function measureCopy(admin: pg.Client) {
  const names = TABLES.map((table) => `plain.${table}`);
  await admin.query(`truncate ${names.join(', ')}`);
  await admin.query('begin');
  for (const name of names) await admin.query(`insert into ${name} select * from ${name}_source`);
  await admin.query('commit');
}

function rowOf(index: number): TapeRow {
  const principal = `${5_000 + 100 * (index % 200)}.00`;
  const term_months = [24, 36, 48, 60][index % 4] ?? 36;
  const interest_rate = '0.0999';
  const perMonth = parseRate(interest_rate).div(12).round(12);
  return {
    line: index + 2,
    loan_number: `T-${String(index).padStart(6, '0')}`,
    borrower_external_id: `TB-${index}`,
    borrower_first_name: 'First',
    borrower_last_name: `Last ${index}`,
    borrower_state: 'NY',
    principal_amount: principal,
    current_principal_balance: principal,
    interest_rate,
    term_months,
    payment_amount: money(levelPayment(parseMoney(principal), perMonth, term_months)),
    origination_date: '2026-01-02',
    first_payment_date: '2026-02-02',
    status: 'active',
    paid_total: '0.00',
    paid_principal: '0.00',
    paid_interest: '0.00',
    paid_late_fees: '0.00',
  };
}
