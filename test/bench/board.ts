import type pg from 'pg';
import { addMonths } from '../../jobs/dates.ts';
import { DEFAULT_INSTALLATION } from '../../jobs/installation.ts';
import { levelPayment } from '../../jobs/loans/arithmetic/level-payment.ts';
import { money, parseMoney, parseRate } from '../../jobs/money.ts';
import { deriveKeys } from '../../jobs/sealing/secrets.ts';
import { createWithin, SYSTEM, type Within } from '../../jobs/work.ts';
import * as imported from '../../sql/books/import-rows.ts';
import { csvOf } from '../setup/books.ts';
import { importBook } from '../setup/import-book.ts';
import { alternate, parseSize, perSecond, printProgress, type Bench } from './figures.ts';
import { openWorld, type BenchWorld } from './world.ts';

const ROUNDS = 3;
const ORIGINATION = '2024-01-02';
const MONTHS = 24;
/** A loan with two years of history takes as long as this many loans without. */
const LOANS_PER_HISTORY = 4;
const TABLES = [
  ...(['borrowers', 'addresses', 'loans', 'loan_events', 'installments', 'loan_outlook'] as const),
  ...(['payments', 'fees', 'journal_entries', 'journal_lines', 'events', 'audit_log'] as const),
  'import_loans',
];

/** Writes a book of `count` loans whose numbers begin after `from`. */
type WriteBook = (from: number, count: number) => Readonly<Record<string, string>>;

/**
 * Imports books without and with history, compared with inserting the same rows in sets without checks, business rules
 * and foreign keys.
 */
export const benchBoarding: Bench = async (words) => {
  const count = parseSize(words, { usual: 2_000, least: 100 });
  const histories = Math.ceil(count / LOANS_PER_HISTORY);
  return [
    ...(await compareBooks('24 to 60 installments', bookOfLoans, count, 1_000)),
    ...(await compareBooks(`${MONTHS} months of history`, bookOfHistories, histories, 300)),
  ];
};

async function compareBooks(kind: string, write: WriteBook, count: number, wanted: number) {
  const world = await openWorld();
  const within = withinSealed(world);
  let [from, checkedMs] = [0, 0];
  const board = async () => {
    const { checkedMs: checked, boardedMs } = await importBook(
      within,
      world.tenant_id,
      write(from, count),
      { accept_difference: true },
    );
    from += count;
    checkedMs = checked;
    return boardedMs / count;
  };
  await board();
  await createPlainTables(world.admin);
  const used = process.cpuUsage();
  const took = await alternate(ROUNDS, {
    ours: board,
    floor: async () => (await measureCopy(world.admin)) / count,
  });
  const { user, system } = process.cpuUsage(used);
  printProgress(
    `Node used ${((user + system) / 1_000 / count / ROUNDS).toFixed(2)} ms per loan to check and board it.`,
  );
  await world.close();
  const [ours, floor, checked] = [
    1_000 / took.ours,
    1_000 / took.floor,
    (1_000 * count) / checkedMs,
  ];
  const loans = `${count.toLocaleString('en')} loans with ${kind}`;
  return [
    {
      what: `${loans} are boarded; the same rows in sets`,
      ours: perSecond(ours),
      floor: perSecond(floor),
      ratio: ours / floor,
    },
    {
      what: `the same, beside ${wanted.toLocaleString('en')} loans a second`,
      ours: perSecond(ours),
      floor: perSecond(wanted),
      ratio: ours / wanted,
      target: { least: 1 },
    },
    {
      what: `${loans} are checked`,
      ours: perSecond(checked),
      floor: perSecond(3_000),
      ratio: checked / 3_000,
    },
  ];
}

/** Boards `count` loans numbered after `from`. Returns their ids. */
export async function boardLoans(world: BenchWorld, from: number, count: number) {
  const within = withinSealed(world);
  const { id } = await importBook(within, world.tenant_id, bookOfLoans(from, count));
  const loans = await within(world.tenant_id, ({ tx }) =>
    imported.listBoardedLoans(tx, id, 0, count),
  );
  return loans.map(({ loan_id }) => loan_id);
}

/** Rows of an import are sealed while they wait. */
const withinSealed = ({ pool }: BenchWorld): Within =>
  createWithin(pool, SYSTEM, {
    ...DEFAULT_INSTALLATION,
    keys: deriveKeys('the secret of an installation of benches'),
  });

/** Plain tables with the rows that the first import wrote, which the floor writes again. */
async function createPlainTables(admin: pg.Client) {
  await admin.query('create schema plain');
  for (const table of TABLES) {
    await admin.query(`create table plain.${table}_source as select * from ${table}`);
    await admin.query(
      `create table plain.${table} (like ${table} including all excluding generated)`,
    );
  }
}

/** In one transaction. The tables are emptied first so that the keys are free again. */
async function measureCopy(admin: pg.Client) {
  const names = TABLES.map((table) => `plain.${table}`);
  await admin.query(`truncate ${names.join(', ')}`);
  const started = performance.now();
  await admin.query('begin');
  for (const name of names) await admin.query(`insert into ${name} select * from ${name}_source`);
  await admin.query('commit');
  return performance.now() - started;
}

const numbersFrom = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => from + index);

const bookOfLoans: WriteBook = (from, count) => ({
  'loans.csv': csvOf(...numbersFrom(from, count).map(loanOf)),
});

function loanOf(number: number) {
  const principal = `${5_000 + 100 * (number % 200)}.00`;
  const term_months = [24, 36, 48, 60][number % 4] ?? 36;
  const perMonth = parseRate('0.0999').div(12).round(12);
  return {
    ...borrowerOf(number),
    principal_amount: principal,
    current_principal_balance: principal,
    interest_rate: '0.0999',
    term_months: String(term_months),
    payment_amount: money(levelPayment(parseMoney(principal), perMonth, term_months)),
    origination_date: '2026-01-02',
    first_payment_date: '2026-02-02',
    status: 'active',
  };
}

const borrowerOf = (number: number) => ({
  loan_number: `T-${String(number).padStart(6, '0')}`,
  borrower_external_id: `TB-${number}`,
  borrower_first_name: 'First',
  borrower_last_name: `Last ${number}`,
  borrower_state: 'NY',
});

/** Loans with two years of payments and a late fee, which are replayed. */
const bookOfHistories: WriteBook = (from, count) => {
  const loans = numbersFrom(from, count).map((number) => ({
    ...borrowerOf(number),
    principal_amount: '10000.00',
    current_principal_balance: '7000.00',
    interest_rate: '0.0999',
    term_months: '60',
    origination_date: ORIGINATION,
    first_payment_date: '2024-02-02',
    status: 'active',
    history_from: ORIGINATION,
  }));
  const history = loans.flatMap(({ loan_number }) => [
    ...Array.from({ length: MONTHS - 1 }, (_, month) => ({
      loan_number,
      transaction_id: `P${month}`,
      date: addMonths(ORIGINATION, month + 1, 2 + (month % 5)),
      type: 'payment',
      amount: '212.42',
    })),
    { loan_number, transaction_id: 'L', date: '2024-06-18', type: 'late_fee', amount: '25.00' },
  ]);
  return { 'loans.csv': csvOf(...loans), 'history.csv': csvOf(...history) };
};
