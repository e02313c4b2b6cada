import { beforeAll, expect, test, vi } from 'vitest';
import { newOutside } from '../setup/outside.ts';
import { runJobs } from '../setup/queue.ts';
import { readSheetRows } from '../setup/sheet.ts';
import { newTapeConfig } from '../setup/tape-files.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage } from '../setup/world.ts';
import { cents, text } from './by-hand.ts';
import { mannerOf } from './manners.ts';
import {
  booksOf,
  monthOf,
  owedAfter,
  owedOn,
  paidBy,
  statementOf,
  type Month,
} from './month-by-hand.ts';
import { allOf, FIRST_MONTH, INVESTORS, LAST, liveTheMonth, MONTH, some } from './month.ts';
import { figuresOf, toldBy } from './statement-text.ts';

/** `LOANS=2000 npm run test:one -- test/scenarios/month-end.test.ts` runs the same with more loans. */
const LOANS = Number(process.env['LOANS'] ?? 32);
const ENOUGH_MS = 60_000 + LOANS * 1_000;
vi.setConfig({ testTimeout: ENOUGH_MS, hookTimeout: ENOUGH_MS });

const stage = await newStage();
let month: Month;
beforeAll(async () => {
  month = await liveTheMonth(stage, LOANS);
});

const DAYS = [FIRST_MONTH, MONTH, LAST] as string[];

test('each account of the trial balance equals the events of the loans', async () => {
  const { admin } = month;
  for (const day of DAYS) {
    const { body } = await admin.get(`/ledger/trial-balance?as_of_date=${day}`);
    const books: Record<string, bigint> = {};
    for (const { name, debit, credit } of body.accounts) {
      const account = name.endsWith(' on Sale') ? 'Sales' : name;
      books[account] = (books[account] ?? 0n) + cents(debit) - cents(credit);
    }
    expect({ day, ...books }).toEqual({ day, ...booksOf(day, month) });
  }
});

test('a remittance lists each loan’s collections while the investor owned it', async () => {
  const { loans, told } = month;
  for (const { investor, month: end, remittance, parts } of told) {
    const start = `${end.slice(0, 8)}01`;
    const eve = end === MONTH ? FIRST_MONTH : '2027-09-30';
    const { millionths } = INVESTORS[investor] ?? INVESTORS[0];
    const expected = loans
      .filter(({ sold }) => sold?.to === investor)
      .map((loan) => ({ id: loan.id, ...monthOf(loan, eve, end, millionths) }))
      .filter((part) => part.owned !== 0n || part.all !== 0n);
    const sumOf = (name: 'principal' | 'interest' | 'fees' | 'other' | 'all' | 'owned' | 'fee') =>
      text(expected.reduce((sum, part) => sum + part[name], 0n));
    const byId = new Map(parts.map((part) => [part['loan_id'], part]));
    const shown = expected.map(({ id }) => partOf(byId.get(id)));

    expect(shown).toEqual(expected);
    expect(parts).toHaveLength(expected.length);
    expect(remittance).toMatchObject({
      period_start: start,
      period_end: end,
      loan_count: expected.length,
      principal_owned: sumOf('owned'),
      principal_collected: sumOf('principal'),
      interest_collected: sumOf('interest'),
      fees_collected: sumOf('fees'),
      other_collected: sumOf('other'),
      collected: sumOf('all'),
      servicing_fee: sumOf('fee'),
      amount_due: text(cents(sumOf('all')) - cents(sumOf('fee'))),
    });
  }
});

const partOf = (part: Record<string, string> = {}) => ({
  id: part['loan_id'],
  principal: cents(part['principal_collected'] ?? '0'),
  interest: cents(part['interest_collected'] ?? '0'),
  fees: cents(part['fees_collected'] ?? '0'),
  other: cents(part['other_collected'] ?? '0'),
  all: cents(part['collected'] ?? '0'),
  owned: cents(part['principal_owned'] ?? '0'),
  fee: cents(part['servicing_fee'] ?? '0'),
});

const COLUMNS = [
  'loan_id',
  'status',
  'principal_balance',
  'accrued_interest',
  'outstanding_fees',
  'total_balance',
  'total_paid',
  'investor',
  'original_principal',
  'as_of_date',
];

test('tapes in every format contain each loan’s balance and equal the books', async () => {
  const { tenant, admin, loans } = month;
  const tape = await newTapeConfig(stage, tenant, admin, { columns: COLUMNS });
  for (const day of DAYS) {
    const rows = await tape.rows(day);
    const csv = (await tape.file(day)).trim().split('\r\n');
    const { body } = await tape.generate({ as_of_date: day, format: 'xlsx' });
    const sheet = await readSheetRows(stage, tenant, body.document_id);
    const byId = new Map(rows.map((row) => [row['loan_id'], row]));
    const owing = loans.filter((loan) => byId.has(loan.id) || owedAfter(loan, day).principal > 0n);
    const principal = owing.reduce((sum, loan) => sum + owedAfter(loan, day).principal, 0n);

    expect(owing.map(({ id }) => shown(byId.get(id)))).toEqual(
      owing.map((loan) => ({ ...toldOf(loan, day), ...ownedOn(loan, day) })),
    );
    expect(csv.slice(1).map((line) => line.split(','))).toEqual(rows.map(cellsOf));
    expect(sheet.slice(1)).toEqual(rows.map(cellsOf));
    expect(body.totals).toMatchObject({
      principal_balance: text(principal),
      ledger_difference: '0.00',
    });
  }
});

const cellsOf = (row: Record<string, unknown>) => COLUMNS.map((name) => String(row[name] ?? ''));
type Loan = Month['loans'][number];

function toldOf(loan: Loan, day: string) {
  const { principal, interest, fees } = owedAfter(loan, day);
  return {
    principal_balance: text(principal),
    accrued_interest: text(interest),
    outstanding_fees: text(fees),
    total_balance: text(principal + interest + fees),
  };
}

function ownedOn(loan: Loan, day: string) {
  const { sold } = loan;
  const paid = paidBy(loan, day);
  return {
    investor: sold && sold.on <= day ? (INVESTORS[sold.to]?.name ?? '') : null,
    total_paid: text(paid.principal + paid.interest + paid.fees),
  };
}

const shown = (row: Record<string, unknown> = {}) =>
  Object.fromEntries(
    [...COLUMNS.slice(2, 6), 'investor', 'total_paid'].map((name) => [name, row[name]]),
  );

test('the balances of a day, as known then and now, equal our own arithmetic', async () => {
  const { admin, loans } = month;
  const wrong: unknown[] = [];
  await some(loans, async (loan) => {
    for (const [known, until] of [
      ['then', MONTH],
      ['now', LAST],
    ] as const) {
      const path = `/loans/${loan.id}/get-balances?as_of_date=${MONTH}&known=${known}`;
      const { body } = await admin.get(path);
      const { principal, interest, fees } = owedOn(loan, MONTH, until);
      const found = [body.principal_balance, body.accrued_interest, body.outstanding_fees];
      const expected = [principal, interest, fees].map(text);
      if (found.join() !== expected.join()) wrong.push({ ...named(loan), known, found, expected });
    }
  });

  expect(wrong).toEqual([]);
});

const named = (loan: Loan) => ({ kind: loan.kind, manner: mannerOf(loan), sold: loan.sold?.on });

test('sub-ledgers add up to the trial balance, except for remittances', async () => {
  const { admin, loans } = month;
  const books: Record<string, bigint> = {};
  await some(loans, async ({ id }) => {
    const entries = await allOf(admin, `/ledger/loans/${id}/sub-ledger`);
    for (const { lines } of entries as unknown as Entry[]) {
      for (const { account, debit, credit } of lines) {
        const name = account.endsWith(' on Sale') ? 'Sales' : account;
        books[name] = (books[name] ?? 0n) + cents(debit) - cents(credit);
      }
    }
  });
  const moved = Object.entries(books).filter(([, amount]) => amount !== 0n);

  expect(Object.fromEntries(moved)).toEqual(booksOf(LAST, { ...month, remitted: [] }));
});

type Entry = { lines: { account: string; debit: string; credit: string }[] };

test('statements show what was paid, earned and owed, as known that morning', async () => {
  const { admin, loans } = month;
  const pages = new Map<string, Record<string, string>>();
  const outside = newOutside(stage.pool);
  const pdf: typeof outside.pdf = async (html) => {
    const page = figuresOf(html);
    if (page['Statement date']) pages.set(`${page['Loan number']} ${page['To']}`, page);
    return { bytes: Buffer.from('%PDF-1.7'), pages: 1 };
  };
  await runJobs(stage, { ...outside, pdf }, ['issue-statements', 'render-document']);
  const numbers = new Map(
    (await allOf(admin, '/loans')).map((loan) => [loan['id'], loan['loan_number']]),
  );
  const expected = loans.flatMap((loan) =>
    MONTHS.flatMap(({ before, end, to }) => {
      const statement = statementOf(loan, before, end);
      return statement.balance === 0n ? [] : [{ key: `${numbers.get(loan.id)} ${to}`, statement }];
    }),
  );

  expect(expected.map(({ key }) => ({ key, statement: toldBy(pages.get(key)) }))).toEqual(expected);
  expect(pages.size).toBe(expected.length);
});

const MONTHS = [
  { before: '2027-09-30', end: FIRST_MONTH, to: 'October 31, 2027' },
  { before: FIRST_MONTH, end: MONTH, to: 'November 30, 2027' },
] as const;

test('the books are consistent', async () => {
  expect(await violationsIn(stage)).toEqual([]);
});
