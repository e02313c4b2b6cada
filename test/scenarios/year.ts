import { Big } from 'big.js';
import { expect } from 'vitest';
import type { Client } from '../setup/client.ts';
import { runCreditReports } from '../setup/credit-reporting.ts';
import { newLoan } from '../setup/loans.ts';
import { newProduct } from '../setup/products.ts';
import { travelTo } from '../setup/queue.ts';
import type { Stage, Tenant } from '../setup/world.ts';
import {
  cents,
  covered,
  dailyStanding,
  knownFacts,
  plannedStanding,
  plus,
  text,
  type Fact,
  type Pace,
  type Row,
} from './by-hand.ts';
import { END, rowsOf, START, WISHES, type Wish } from './kinds.ts';

export type Kept = {
  name: string;
  id: string;
  pace: Pace;
  rows: readonly Row[];
  facts: Fact[];
  isPlanned: boolean;
};
async function open(tenant: Tenant, admin: Client, wish: Wish): Promise<Kept> {
  const { name, rate, months, amount, product, first, year = 365n } = wish;
  const terms = { principal_amount: amount, interest_rate: rate, term_months: months };
  const product_id = await newProduct(tenant, product, admin);
  const { id } = await newLoan(tenant, { ...terms, product_id, status: 'approved' });
  const funded = await tenant.officer.post(`/loans/${id}/disburse`, {
    ...(first && { first_payment_date: first }),
  });
  expect(funded.status, JSON.stringify(funded.body)).toBe(200);
  return {
    name,
    id,
    rows: rowsOf(wish),
    isPlanned: product['interest_method'] === 'scheduled',
    pace: {
      millionths: BigInt(new Big(rate).times(1e6).toFixed(0)),
      year,
    },
    facts: [
      {
        kind: 'fund',
        date: START,
        cents: cents(amount),
        known: START,
      },
    ],
  };
}

export const standingOf = (
  { facts, rows, pace, isPlanned }: Kept,
  asOf: string,
  knownBy = asOf,
) => {
  const known = knownFacts(facts, asOf, knownBy);
  const { millionths } = pace;
  return isPlanned
    ? plannedStanding(known, rows, { start: START, asOf, millionths })
    : dailyStanding(known, pace, asOf);
};
export const totalOf = (loan: Kept, asOf: string, knownBy?: string) => {
  const { principal, interest, fees } = standingOf(loan, asOf, knownBy);
  return principal + interest + fees;
};

/** The remaining rows if each is paid on its due date. The last one pays everything owed. */
export function rowsAhead(loan: Kept): { due: string; payment: bigint; interest: bigint }[] {
  const facts = knownFacts(loan.facts, END, END);
  const paid = covered(facts, loan.rows);
  const made: Fact[] = [...loan.facts];
  return loan.rows.flatMap(({ due, payment }, index) => {
    if (due < END) return [];
    const before = standingOf({ ...loan, facts: made }, due);
    const owed = before.principal + before.interest + before.fees;
    const rest = payment - (paid[index] ?? 0n);
    const asked = index === loan.rows.length - 1 || owed < rest ? owed : rest;
    made.push({ kind: 'pay', date: due, cents: asked, known: END });
    const after = standingOf({ ...loan, facts: made }, due);
    const repaid = before.principal - after.principal + before.fees - after.fees;
    return [{ due, payment: (paid[index] ?? 0n) + asked, interest: asked - repaid }];
  });
}

/** Records a payment through the API and in the test's own books. */
async function pay(
  tenant: Tenant,
  loan: Kept,
  amount: bigint,
  today: string,
  date = today,
): Promise<Paid | null> {
  const owed = totalOf(loan, date, today);
  if (owed === 0n) return null;
  const paid = amount < owed ? amount : owed;
  const reply = await tenant.officer.post(`/loans/${loan.id}/payments`, {
    amount: text(paid),
    effective_date: date,
    payment_method: 'check',
  });
  expect(reply.status, `${loan.name} ${today} ${JSON.stringify(reply.body)}`).toBe(201);
  const fact: Fact = { kind: 'pay', date, cents: paid, known: today };
  loan.facts.push(fact);
  return { id: reply.body.id as string, fact };
}
type Paid = { id: string; fact: Fact };
type Deed = { on: string; run: (today: string) => Promise<unknown> };

/** One loan's events of the year: which installment is paid when, and what goes wrong. */
function storyOf(tenant: Tenant, loan: Kept): Deed[] {
  const within = loan.rows.filter(({ due }) => due < END);
  const firstOf = (month: string) => within.findIndex(({ due }) => due.startsWith(month));
  const [found, extra, returned] = ['2028-03', '2028-04', '2028-05'].map(firstOf);
  return within.flatMap(({ due, payment }, index): Deed[] => {
    const paying = (on: string, amount = payment, date?: string): Deed => ({
      on,
      run: (today) => pay(tenant, loan, amount, today, date),
    });
    if (index === 1) return [paying(plus(due, -5))];
    if (index === 2) return [paying(plus(due, 20))];
    if (index === 3) {
      const half = payment / 2n;
      return [paying(due, half), paying(plus(due, 14), payment - half)];
    }
    if (index === found) return [paying('2028-03-28', payment, plus(due, -1))];
    if (index === extra) return [paying(due, payment + 10000n)];
    if (index !== returned) return [paying(due)];
    let paid: Paid | null = null;
    return [
      { on: due, run: async (today) => (paid = await pay(tenant, loan, payment, today)) },
      { on: plus(due, 5), run: (today) => giveBack(tenant, paid, today) },
      paying(plus(due, 17)),
    ];
  });
}

async function giveBack(tenant: Tenant, paid: Paid | null, today: string) {
  if (paid === null) throw new Error('Nothing was paid.');
  const reply = await tenant.officer.post(`/payments/${paid.id}/reverse`, { reason: 'nsf' });
  expect(reply.status).toBe(200);
  paid.fact.undone = today;
}

/** The fees that the rule requires: on the eleventh night, for an installment that is not covered. */
export const lateFeesOf = (loan: Kept) => loan.facts.filter(({ kind }) => kind === 'fee');

const feeOn = (loan: Kept, date: string) =>
  loan.facts.push({ kind: 'fee', date, cents: 2500n, known: date });

/** Waives the fee of a payment that was on time but found later. */
async function waive(tenant: Tenant, loan: Kept, today: string) {
  const fees = (await tenant.officer.get(`/loans/${loan.id}/fees`)).body as Fee[];
  const wrong = fees.find(({ installment_number }) => installment_number === 5);
  const reply = await tenant.officer.post(`/fees/${wrong?.id}/waive`, { reason: 'Paid in time' });
  expect(reply.status).toBe(200);
  loan.facts.push({ kind: 'waive', date: today, cents: 2500n, known: today });
}
export type Fee = { id: string; installment_number: number; assessed_date: string };

async function draw(tenant: Tenant, line: Kept, today: string, amount: string) {
  const reply = await tenant.officer.post(`/loans/${line.id}/draws`, { amount });
  expect(reply.status, JSON.stringify(reply.body)).toBe(201);
  line.facts.push({ kind: 'fund', date: today, cents: cents(amount), known: today });
}

async function openLine(tenant: Tenant, admin: Client): Promise<Kept> {
  const product_id = await newProduct(tenant, { loan_type: 'line_of_credit' }, admin);
  const terms = { principal_amount: '8000.00', interest_rate: '0.155', term_months: 24 };
  const { id } = await newLoan(tenant, { ...terms, product_id, status: 'approved' });
  await tenant.officer.post(`/loans/${id}/disburse`, { amount: '2000.00' });
  const facts: Fact[] = [{ kind: 'fund', date: START, cents: 200000n, known: START }];
  const pace = { millionths: 155000n, year: 365n };
  return { name: 'line of credit', id, pace, rows: [], facts, isPlanned: false };
}

/** Runs the year. Returns the loans with the test's own record of them. */
export async function liveTheYear(stage: Stage, tenant: Tenant): Promise<Kept[]> {
  const loans: Kept[] = [];
  const admin = await tenant.signedIn('admin');
  for (const wish of WISHES) loans.push(await open(tenant, admin, wish));
  const line = await openLine(tenant, admin);
  const lateFee = loans.find(({ name }) => name === 'with late fees');
  if (!lateFee) throw new Error('There is no loan with late fees.');
  const deeds = [
    ...loans.flatMap((loan) => storyOf(tenant, loan)),
    { on: '2028-03-28', run: (today: string) => waive(tenant, lateFee, today) },
    ...['2027-12-01', '2028-02-29', '2028-08-31'].map((on) => ({
      on,
      run: (today: string) => draw(tenant, line, today, '1500.00'),
    })),
    ...Array.from({ length: 11 }, (_, index) => ({
      on: new Date(Date.UTC(2027, 10 + index, 20)).toISOString().slice(0, 10),
      run: (today: string) => pay(tenant, line, 25000n, today),
    })),
  ].toSorted((one, other) => one.on.localeCompare(other.on));
  for (const night of LATE_FEE_NIGHTS) feeOn(lateFee, night);
  for (const { on, run } of deeds) {
    await travelTo(stage, tenant, on);
    await run(on);
  }
  await travelTo(stage, tenant, END);
  await runCreditReports(stage);
  return [...loans, line];
}

/**
 * For the installments of January (late), February (partly paid), March (found later) and May (returned).
 */
const LATE_FEE_NIGHTS = ['2028-01-26', '2028-02-26', '2028-03-26', '2028-05-26'];
