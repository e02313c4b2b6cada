import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { sql } from '../../sql/database/db.ts';
import { creditRecords, newReportingTenant } from '../setup/credit-reporting.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage, type Tenant } from '../setup/world.ts';
import { cents, covered, knownFacts, plus, text, type Fact } from './by-hand.ts';
import { END, START } from './kinds.ts';
import {
  lateFeesOf,
  liveTheYear,
  rowsAhead,
  standingOf,
  totalOf,
  type Fee,
  type Kept,
} from './year.ts';

const stage = await newStage();
const tenant = await newReportingTenant(stage, START);
let kept: Kept[] = [];

beforeAll(async () => {
  kept = await liveTheYear(stage, tenant);
}, 240_000);

const figuresOf = ({ principal, interest, fees }: ReturnType<typeof standingOf>) => ({
  principal_balance: text(principal),
  accrued_interest: text(interest),
  outstanding_fees: text(fees),
  total_balance: text(principal + interest + fees),
});

test('each loan owes the amount that follows from its terms and payments', async () => {
  for (const loan of kept) {
    const { body } = await tenant.officer.get(`/loans/${loan.id}`);
    expect({ name: loan.name, ...body }).toMatchObject({
      name: loan.name,
      ...figuresOf(standingOf(loan, END)),
      status: totalOf(loan, END) === 0n ? 'paid_off' : 'active',
    });
  }
});

test('any day’s balances are available as known then and as known now', async () => {
  const days = ['2027-11-30', '2028-01-20', '2028-02-29', '2028-03-20', '2028-05-18', '2028-07-01'];
  for (const loan of kept) {
    for (const day of days) {
      const path = `/loans/${loan.id}/get-balances?as_of_date=${day}`;
      const then = await tenant.officer.get(`${path}&known=then`);
      const now = await tenant.officer.get(path);
      expect({ loan: loan.name, day, ...then.body }).toMatchObject({
        loan: loan.name,
        day,
        ...figuresOf(standingOf(loan, day, day)),
      });
      expect({ loan: loan.name, day, ...now.body }).toMatchObject({
        loan: loan.name,
        day,
        ...figuresOf(standingOf(loan, day, END)),
      });
    }
  }
});

const isPaid = (row: Record<string, string>) => row['status'] === 'paid';

test('the schedule equals the contract, shows what was paid, and continues from the balance', async () => {
  for (const loan of kept.filter(({ rows }) => rows.length > 0)) {
    const { body } = await tenant.officer.get(`/loans/${loan.id}/amortization`);
    const rows = body as Record<string, string>[];
    const paid = covered(knownFacts(loan.facts, END, END), loan.rows);
    expect(rows.map((row) => row['due_date'])).toEqual(loan.rows.map(({ due }) => due));
    // Paid rows show all amounts paid with them. No amount was paid on the remaining rows.
    const covering = rows.filter((_, at) => (paid[at] ?? 0n) > 0n);
    const open = rows.filter((row) => !covering.includes(row) && row['status'] !== 'canceled');
    expect(rows.slice(1).map((row) => row['beginning_balance'])).toEqual(
      rows.slice(0, -1).map((row) => row['ending_balance']),
    );
    expect([loan.name, covering.findLast(isPaid)?.['ending_balance']]).toEqual([
      loan.name,
      text(standingOf(loan, END, END).principal),
    ]);
    const ahead = rowsAhead(loan).filter(({ due }) => open.some((row) => row['due_date'] === due));
    expect([
      loan.name,
      ...open.map((row) => [row['due_date'], row['payment_amount'], row['interest_amount']]),
    ]).toEqual([
      loan.name,
      ...ahead.map(({ due, payment, interest }) => [due, text(payment), text(interest)]),
    ]);
    expect(open.every((row) => row['paid_amount'] === '0.00')).toBe(true);
  }
});

const Statement = z.object({
  day: z.string(),
  summary: z.record(z.string(), z.string()),
});

const statementsOf = (owner: Tenant, id: string) =>
  owner.within(({ tx }) =>
    tx.any(sql.type(Statement)`
      select statement_date as day, figures -> 'summary' as summary
      from statements where loan_id = ${id} order by statement_date
    `),
  );

test('each statement adds up, follows the previous one and shows what was owed that morning', async () => {
  for (const loan of kept) {
    const statements = await statementsOf(tenant, loan.id);
    let previous = 0n;
    for (const { day, summary } of statements) {
      const centsOf = (name: string) => cents(summary[name] ?? '');
      const known = plus(day, -1);
      expect([loan.name, day, centsOf('previous_balance')]).toEqual([loan.name, day, previous]);
      expect([loan.name, day, centsOf('new_balance')]).toEqual([
        loan.name,
        day,
        totalOf(loan, day, known),
      ]);
      const added = centsOf('disbursements') + centsOf('interest') + centsOf('fees');
      expect(previous + added - centsOf('payments') - centsOf('credits')).toBe(
        centsOf('new_balance'),
      );
      previous = centsOf('new_balance');
    }
    expect(statements.length).toBeGreaterThanOrEqual(11);
  }
});

type Posted = { lines: { account: string; debit: string; credit: string }[] };

const netOf = (entries: readonly Posted[], account: string): bigint =>
  entries
    .flatMap(({ lines }) => lines)
    .filter((line) => line.account === account)
    .reduce((sum, line) => sum + cents(line.debit) - cents(line.credit), 0n);

const paidOf = ({ facts }: Kept) =>
  knownFacts(facts, END, END).reduce((sum, fact) => {
    if (fact.kind === 'pay') return sum + fact.cents;
    return fact.kind === 'fund' ? sum - fact.cents : sum;
  }, 0n);

test('each loan’s sub-ledger equals its balances, and cash equals the payments', async () => {
  for (const loan of kept) {
    const { body } = await tenant.officer.get(
      `/ledger/loans/${loan.id}/sub-ledger?range=${encodeURIComponent('[0,999]')}`,
    );
    const { principal, interest, fees, accrued } = standingOf(loan, END);
    const feesAssessed = BigInt(lateFeesOf(loan).length) * 2500n;
    const waived = loan.facts.filter(({ kind }) => kind === 'waive').length;
    const net = (account: string) => netOf(body as Posted[], account);
    expect([loan.name, net('Loans Receivable')]).toEqual([loan.name, principal]);
    expect([loan.name, net('Interest Receivable')]).toEqual([loan.name, interest]);
    expect([loan.name, net('Fees Receivable')]).toEqual([loan.name, fees]);
    expect([loan.name, net('Cash')]).toEqual([loan.name, paidOf(loan)]);
    expect([loan.name, net('Interest Income')]).toEqual([loan.name, -accrued]);
    expect([loan.name, net('Fee Income')]).toEqual([
      loan.name,
      BigInt(waived) * 2500n - feesAssessed,
    ]);
  }
});

type Account = Record<'name' | 'account_id' | 'account_type' | 'debit' | 'credit', string>;

test('the trial balance is the sum of the loans, and equals each account’s detail', async () => {
  const { body } = await tenant.officer.get('/ledger/trial-balance');
  const accounts = body.accounts as Account[];
  const net = new Map(
    accounts.map(({ name, debit, credit }) => [name, cents(debit) - cents(credit)]),
  );
  const all = kept.map((loan) => standingOf(loan, END));
  const total = (part: (standing: (typeof all)[number]) => bigint) =>
    all.reduce((sum, standing) => sum + part(standing), 0n);

  expect(body.total_debits).toBe(body.total_credits);
  expect(net.get('Loans Receivable')).toBe(total(({ principal }) => principal));
  expect(net.get('Interest Receivable')).toBe(total(({ interest }) => interest));
  expect(net.get('Interest Income')).toBe(-total(({ accrued }) => accrued));
  expect(net.get('Cash')).toBe(kept.reduce((sum, loan) => sum + paidOf(loan), 0n));
  for (const { name, account_id, account_type } of accounts) {
    const detail = await tenant.officer.get(
      `/ledger/gl-detail?account_id=${account_id}&range=${encodeURIComponent('[0,999]')}`,
    );
    const lines = detail.body as { running_balance: string; debit: string; credit: string }[];
    const moved = lines.reduce((sum, line) => sum + cents(line.debit) - cents(line.credit), 0n);
    expect([name, moved]).toEqual([name, net.get(name)]);
    const sign = ['asset', 'expense'].includes(account_type) ? 1n : -1n;
    expect([name, cents(lines.at(-1)?.running_balance ?? '')]).toEqual([name, sign * moved]);
  }
});

test('the late fees are the four of the fee rule', async () => {
  const lateFee = kept.find(({ name }) => name === 'with late fees');
  const fees = (await tenant.officer.get(`/loans/${lateFee?.id}/fees`)).body as Fee[];

  expect(fees.map((fee) => `${fee.installment_number} ${fee.assessed_date}`).toSorted()).toEqual([
    '3 2028-01-26',
    '4 2028-02-26',
    '5 2028-03-26',
    '7 2028-05-26',
  ]);
});

const Told = z.object({ event_type: z.string(), loan_id: z.string(), amount: z.string() });

test('the payment events add up to the payments', async () => {
  const told = await tenant.within(({ tx }) =>
    tx.any(sql.type(Told)`
      select event_type, body.data ->> 'loan_id' as loan_id, body.data ->> 'amount' as amount
      from events
      cross join lateral (select body::jsonb -> 'data' as data) as body
      where event_type in ('payment.received', 'payment.reversed', 'loan.disbursed')
    `),
  );

  for (const loan of kept) {
    const sumOf = (type: string) =>
      told
        .filter(({ loan_id, event_type }) => loan_id === loan.id && event_type === type)
        .reduce((sum, { amount }) => sum + cents(amount), 0n);
    const pays = loan.facts.filter(({ kind }) => kind === 'pay');
    const sum = (facts: readonly Fact[]) => facts.reduce((total, fact) => total + fact.cents, 0n);
    expect([loan.name, sumOf('payment.received')]).toEqual([loan.name, sum(pays)]);
    expect([loan.name, sumOf('payment.reversed')]).toEqual([
      loan.name,
      sum(pays.filter(({ undone }) => undone)),
    ]);
    expect(sumOf('loan.disbursed')).toBe(loan.facts[0]?.cents);
  }
});

test('the bureaus get each month-end’s balance and no late status', async () => {
  for (const loan of kept) {
    const records = await creditRecords(tenant, loan.id);
    for (const { reporting_period, current_balance, account_status } of records) {
      const day = String(reporting_period);
      const owed = totalOf(loan, plus(day, 1), day);
      expect([loan.name, day, current_balance, account_status]).toEqual([
        loan.name,
        day,
        Number(owed / 100n),
        owed === 0n ? '13' : '11',
      ]);
    }
    expect(records.length).toBeGreaterThanOrEqual(11);
  }
});

test('after the year, every book invariant holds', async () => {
  expect(await violationsIn(stage)).toEqual([]);
});
