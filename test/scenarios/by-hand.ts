import { Big } from 'big.js';

/**
 * Calculates loans from first principles: whole cents, exact fractions and days since the epoch. Shares no
 * code with the platform, so that a match proves something.
 */
export type Fact = {
  /** `sell` is the sale of the collateral, which repays principal first. */
  kind: 'fund' | 'fee' | 'waive' | 'sell' | 'pay';
  date: string;
  cents: bigint;
  /** The business date on which the fact was entered, and the date on which it was reversed. */
  known: string;
  undone?: string;
};

/** A yearly rate in millionths, on a year of this many days. */
export type Pace = { millionths: bigint; year: bigint };

export type Standing = { principal: bigint; interest: bigint; fees: bigint; accrued: bigint };

export type Row = { due: string; principal: bigint; interest: bigint; payment: bigint };

export const cents = (text: string): bigint => BigInt(text.replace('.', ''));

export const text = (amount: bigint): string => {
  const digits = String(amount < 0n ? -amount : amount).padStart(3, '0');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};

const DAY = 86_400_000;
const dayOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / DAY;
export const between = (from: string, to: string): bigint => BigInt(dayOf(to) - dayOf(from));
export const plus = (date: string, days: number): string =>
  new Date((dayOf(date) + days) * DAY).toISOString().slice(0, 10);

const least = (one: bigint, other: bigint): bigint => (one < other ? one : other);
const most = (one: bigint, other: bigint): bigint => (one > other ? one : other);

/** Rounds half up. For amounts that are not negative. */
const rounded = (numerator: bigint, denominator: bigint): bigint =>
  (2n * numerator + denominator) / (2n * denominator);

const ORDER = ['fund', 'fee', 'waive', 'sell', 'pay'];

/** Facts effective by one day and known by another, in effective order. */
export const knownFacts = (facts: readonly Fact[], asOf: string, knownBy: string): Fact[] =>
  facts
    .filter(({ date, known }) => date <= asOf && known <= knownBy)
    .filter(({ undone }) => undone === undefined || undone > knownBy)
    .toSorted(
      (one, other) =>
        dayOf(one.date) - dayOf(other.date) || ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind),
    );

/** Daily interest on the principal. A payment goes to fees, then interest, then principal. */
export function dailyStanding(facts: readonly Fact[], pace: Pace, asOf: string): Standing {
  let principal = 0n;
  let fees = 0n;
  let settled = 0n;
  let earned = 0n;
  let since = asOf;
  const whole = pace.year * 1_000_000n;
  const accrueTo = (date: string) => {
    if (date > since) earned += principal * pace.millionths * between(since, date);
    since = date;
    return rounded(earned, whole);
  };
  for (const { kind, date, cents: amount } of facts) {
    const owed = accrueTo(date) - settled;
    if (kind === 'fund') principal += amount;
    if (kind === 'fee') fees += amount;
    if (kind === 'waive') fees -= amount;
    if (kind === 'sell') {
      const repaid = least(amount, principal);
      const toInterest = least(amount - repaid, owed);
      principal -= repaid;
      settled += toInterest;
      fees -= least(amount - repaid - toInterest, fees);
    }
    if (kind !== 'pay') continue;
    const toFees = least(amount, fees);
    const toInterest = least(amount - toFees, owed);
    fees -= toFees;
    settled += toInterest;
    principal -= least(amount - toFees - toInterest, principal);
  }
  const accrued = accrueTo(asOf);
  return { principal, interest: accrued - settled, fees, accrued };
}

/**
 * A loan with scheduled interest: each month earns a twelfth of the year's interest on its beginning
 * balance. An installment pays that interest, then principal. Any excess repays principal.
 */
export function plannedStanding(
  facts: readonly Fact[],
  rows: readonly Row[],
  { start, asOf, millionths }: { start: string; asOf: string; millionths: bigint },
): Standing {
  const left = rows.map(({ due, payment }, index) => ({
    due,
    payment,
    from: rows[index - 1]?.due ?? start,
    interest: null as bigint | null,
    toInterest: 0n,
    repaid: 0n,
  }));
  let principal = 0n;
  let settled = 0n;
  const beginMonths = (isBegun: (from: string) => boolean) => {
    for (const row of left.filter(({ from, interest }) => interest === null && isBegun(from)))
      row.interest = rounded(principal * millionths, 12_000_000n);
  };
  for (const { kind, date, cents: amount } of facts) {
    beginMonths((from) => from < date);
    if (kind === 'fund') principal += amount;
    if (kind !== 'pay') continue;
    let money = amount;
    for (const row of dueOn(left, date)) {
      const earned = row.interest ?? 0n;
      const interest = least(money, earned - row.toInterest);
      const repaid = least(money - interest, row.payment - earned - row.repaid);
      row.toInterest += interest;
      row.repaid += repaid;
      settled += interest;
      principal -= repaid;
      money -= interest + repaid;
    }
    principal -= money;
  }
  beginMonths((from) => from <= asOf);
  const accrued = left.reduce((sum, { due, from, interest }) => {
    const earned = interest ?? 0n;
    if (due <= asOf) return sum + earned;
    return from >= asOf ? sum : sum + rounded(earned * between(from, asOf), between(from, due));
  }, 0n);
  return { principal, interest: most(accrued - settled, 0n), fees: 0n, accrued };
}

/** All past due rows, and the installment of the current period. */
function dueOn<Due extends { due: string }>(rows: readonly Due[], date: string): Due[] {
  const open = rows.findIndex(({ due }) => due >= date);
  return open < 0 ? [...rows] : rows.slice(0, open + 1);
}

/** How much of each installment the payments cover, oldest first. */
export function covered(facts: readonly Fact[], rows: readonly Row[]): bigint[] {
  const left = rows.map(({ due, payment }) => ({ due, rest: payment }));
  for (const { kind, date, cents: amount } of facts) {
    let money = kind === 'pay' ? amount : 0n;
    for (const row of dueOn(left, date)) {
      const part = least(money, row.rest);
      row.rest -= part;
      money -= part;
    }
  }
  return rows.map(({ payment }, index) => payment - (left[index]?.rest ?? 0n));
}

export type Plan = {
  start: string;
  dues: readonly string[];
  principal: bigint;
  /** The share of the yearly rate that each period earns. */
  factors: readonly Big[];
  shape: 'level' | 'level_principal' | 'interest_only';
  balloon?: bigint;
  /** Daily accrual. Without it, each period earns its share of the rate. */
  pace?: Pace;
};

const inCents = (amount: Big): bigint => BigInt(amount.round(0, Big.roundHalfUp).toFixed());
const big = (amount: bigint): Big => new Big(amount.toString());

/** The schedule: each row's interest is what its period earns, and the last row takes the remainder. */
export function planned({ start, dues, principal, factors, shape, balloon = 0n, pace }: Plan) {
  Big.DP = 40;
  let discount = new Big(1);
  let annuity = new Big(0);
  for (const factor of factors) {
    discount = discount.div(factor.plus(1));
    annuity = annuity.plus(discount);
  }
  const level = inCents(big(principal).minus(big(balloon).times(discount)).div(annuity));
  const part = inCents(big(principal).div(dues.length));
  let balance = principal;
  let earned = 0n;
  const daily = ({ millionths, year }: Pace, index: number, due: string) => {
    const whole = year * 1_000_000n;
    const before = rounded(earned, whole);
    earned += balance * millionths * between(dues[index - 1] ?? start, due);
    return rounded(earned, whole) - before;
  };
  return dues.map((due, index): Row => {
    const interest = pace
      ? daily(pace, index, due)
      : inCents(big(balance).times(factors[index] ?? 0));
    const isLast = index === dues.length - 1;
    const wanted = { level: level - interest, level_principal: part, interest_only: 0n }[shape];
    const repaid = isLast ? balance : least(wanted, balance);
    balance -= repaid;
    return { due, principal: repaid, interest, payment: repaid + interest };
  });
}
