import type { Client } from '../setup/client.ts';
import type { Stage, Tenant } from '../setup/world.ts';
import {
  dailyStanding,
  knownFacts,
  plannedStanding,
  plus,
  type Fact,
  type Pace,
  type Row,
  type Standing,
} from './by-hand.ts';
import { START } from './kinds.ts';

/** A loan of the month with the test's own record of it. */
export type Lent = {
  number: number;
  id: string;
  kind: string;
  rate: string;
  pace: Pace;
  rows: readonly Row[];
  isPlanned: boolean;
  /** The loan came from another servicer, to whom its principal is owed. */
  isBoarded: boolean;
  facts: Fact[];
  /** The investor who bought it. Ownership changes when the close of the day begins. */
  sold?: { to: number; on: string };
  chargedOffOn?: string;
};

/** A booked remittance and its payment to the investor. */
export type Remitted = { bookedOn: string; fee: bigint; due: bigint; paidOn?: string };
export type Price = { on: string; cents: bigint };

export type Month = {
  stage: Stage;
  tenant: Tenant;
  admin: Client;
  loans: Lent[];
  prices: Price[];
  investors: string[];
  remitted: Remitted[];
  /** Each investor's remittances by month, with one part per loan. */
  told: { investor: number; month: string; remittance: Told; parts: Told[] }[];
};
export type Told = Record<string, string>;

const NOTHING: Standing = { principal: 0n, interest: 0n, fees: 0n, accrued: 0n };
const total = (amounts: readonly bigint[]) => amounts.reduce((sum, next) => sum + next, 0n);

/**
 * The balances with interest to the start of `asOf`, from facts effective by `until` and known by `known`.
 */
function reckoned(loan: Lent, asOf: string, until: string, known: string): Standing {
  const facts = knownFacts(loan.facts, until, known);
  if (facts.length === 0) return NOTHING;
  const { pace, rows, isPlanned } = loan;
  return isPlanned
    ? plannedStanding(facts, rows, { start: START, asOf, millionths: pace.millionths })
    : dailyStanding(facts, pace, asOf);
}

const isOff = ({ chargedOffOn }: Lent, day: string) =>
  chargedOffOn !== undefined && chargedOffOn <= day;
const isSold = ({ sold }: Lent, day: string) => sold !== undefined && sold.on <= day;

/** The balances when the loan was charged off. */
const lost = (loan: Lent, known: string) => {
  const on = loan.chargedOffOn ?? '';
  return reckoned(loan, on, plus(on, -1), known);
};

/** The balances at the end of a day including its interest, as known on `known`. */
export function owedAfter(loan: Lent, day: string, known = day): Standing {
  if (!isOff(loan, day)) return reckoned(loan, plus(day, 1), day, known);
  return { ...NOTHING, accrued: lost(loan, known).accrued };
}

/** The balances on a day without its interest, as known at the end of `known`. */
export const owedOn = (loan: Lent, day: string, known: string): Standing =>
  isOff(loan, day) ? NOTHING : reckoned(loan, day, day, known);

/** Payments by the end of a day: principal, interest and fees, and recoveries after a charge-off. */
export function paidBy(loan: Lent, day: string, known = day) {
  const facts = knownFacts(loan.facts, day, known);
  const sumOf = (...kinds: Fact['kind'][]) =>
    total(facts.filter(({ kind }) => kinds.includes(kind)).map(({ cents }) => cents));
  const after = (fact: Fact) => isOff(loan, day) && fact.date > (loan.chargedOffOn ?? '');
  const recovered = total(facts.filter(after).map(({ cents }) => cents));
  const left = isOff(loan, day) ? lost(loan, known) : owedAfter(loan, day, known);
  return {
    principal: sumOf('fund') - left.principal,
    interest: left.accrued - left.interest,
    fees: sumOf('fee') - sumOf('waive') - left.fees,
    other: recovered,
    all: sumOf('pay', 'sell'),
  };
}
export type Paid = ReturnType<typeof paidBy>;

const PARTS = ['principal', 'interest', 'fees', 'other', 'all'] as const;
const less = (one: Paid, other: Paid): Paid =>
  Object.fromEntries(PARTS.map((part) => [part, one[part] - other[part]])) as Paid;

/** The investor's collections by a day: all payments except those dated before the sale. */
function investorsPart(loan: Lent, day: string): Paid {
  const on = loan.sold?.on ?? '';
  const all = paidBy(loan, day);
  return isSold(loan, day) ? less(all, paidBy(loan, on, day)) : less(all, all);
}

/**
 * The month of an investor's loan: collections, principal owned before, and a twelfth of the yearly fee.
 */
export function monthOf(loan: Lent, before: string, end: string, millionths: bigint) {
  const owned = isSold(loan, before) ? owedAfter(loan, before).principal : 0n;
  const fee = (2n * owned * millionths + 12_000_000n) / 24_000_000n;
  return { ...less(investorsPart(loan, end), investorsPart(loan, before)), owned, fee };
}

/** The statement on the morning after a month, from what was known by then. */
export function statementOf(loan: Lent, before: string, end: string) {
  const [from, to] = [owedAfter(loan, before), owedAfter(loan, end)];
  const sum = ({ principal, interest, fees }: Standing) => principal + interest + fees;
  const known = (kind: Fact['kind'], day: string) =>
    total(knownFacts(loan.facts, day, day).map((fact) => (fact.kind === kind ? fact.cents : 0n)));
  const since = (kind: Fact['kind']) => known(kind, end) - known(kind, before);
  // A boarded balance was owed before the first statement.
  const brought = loan.isBoarded ? since('fund') : 0n;
  return {
    previous: sum(from) + brought,
    disbursed: since('fund') - brought,
    payments: paidBy(loan, end).all - paidBy(loan, before).all,
    credits: since('waive'),
    fees: since('fee'),
    interest: to.accrued - from.accrued,
    balance: sum(to),
    principal: to.principal,
    accrued: to.interest,
    open: to.fees,
  };
}

/**
 * All accounts at the end of a day, debits positive: cash, receivables and income of the lender's own
 * loans, proceeds of sold loans, and fees kept from them.
 */
export function booksOf(
  day: string,
  { loans, prices, remitted }: { loans: Lent[]; prices: Price[]; remitted: Remitted[] },
): Record<string, bigint> {
  const books: Record<string, bigint> = {};
  const book = (account: string, cents: bigint) => {
    books[account] = (books[account] ?? 0n) + cents;
  };
  for (const loan of loans) bookLoan(loan, day, book);
  for (const { cents } of prices.filter(({ on }) => on <= day)) {
    book('Cash', cents);
    book('Sales', -cents);
  }
  for (const { bookedOn, fee, due, paidOn } of remitted) {
    if (bookedOn <= day) book('Servicing Fee Income', -fee);
    if (bookedOn <= day) book('Due to Investors', fee);
    if (paidOn === undefined || paidOn > day) continue;
    book('Cash', -due);
    book('Due to Investors', due);
  }
  return Object.fromEntries(Object.entries(books).filter(([, cents]) => cents !== 0n));
}

function bookLoan(loan: Lent, day: string, book: (account: string, cents: bigint) => void) {
  const funded = total(knownFacts(loan.facts, day, day).map((fact) => lentBy(fact)));
  const paid = paidBy(loan, day);
  book(loan.isBoarded ? 'Due to Investors' : 'Cash', -funded);
  book('Cash', paid.all);
  if (loan.sold && isSold(loan, day)) return bookSold(loan, loan.sold.on, day, book);
  const owed = owedAfter(loan, day);
  const gone = isOff(loan, day) ? lost(loan, day) : NOTHING;
  book('Loans Receivable', owed.principal);
  book('Interest Receivable', owed.interest);
  book('Fees Receivable', owed.fees);
  book('Interest Income', -(owed.accrued - gone.interest));
  book('Fee Income', -(paid.fees + owed.fees));
  book('Charge-Off Expense', gone.principal);
  book('Recovery Income', -paid.other);
}

/**
 * Before the sale the loan was the lender's, with interest up to the day. Later collections are not.
 * Interest booked by then remains income. If later entries change it, the gain of the sale changes by the
 * difference.
 */
function bookSold(
  loan: Lent,
  on: string,
  day: string,
  book: (account: string, cents: bigint) => void,
) {
  const carried = reckoned(loan, on, on, day);
  const before = paidBy(loan, on, day);
  const earned = reckoned(loan, on, on, on).accrued;
  book('Due to Investors', -investorsPart(loan, day).all);
  book('Sales', carried.principal + carried.interest + carried.fees + earned - carried.accrued);
  book('Interest Income', -earned);
  book('Fee Income', -(before.fees + carried.fees));
}

const lentBy = ({ kind, cents }: Fact) => (kind === 'fund' ? cents : 0n);
