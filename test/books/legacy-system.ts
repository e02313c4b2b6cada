/**
 * A loan system written for tests, as a lender may have used it before. It shares no code with the product: dates are
 * day numbers, money is whole cents, interest an exact fraction. Each convention is a parameter.
 *
 * A nightly batch per day: receipts become effective, late fees are charged for installments that today's receipts leave
 * open, receipts are applied to the balances, and the day earns interest.
 */
export type LegacyConventions = {
  /** `30_360`: a period earns a twelfth of the yearly interest, evenly over its days. */
  day_count: '30_360' | 'actual_365' | 'actual_360';
  order: readonly ('fees' | 'interest' | 'principal')[];
  /** How the interest owed follows from the exact interest. Fractions of a cent stay with the loan. */
  rounding: 'truncate' | 'half_up';
  /** Days from the receipt of a payment to its effect. */
  payment_lag_days: number;
  /** Charged in the batch of the day after the grace days. `amount` in cents, or a share of the installment. */
  late_fee: { grace_days: number; amount?: bigint; percent?: bigint } | null;
  installment_rounding: 'half_up' | 'truncate' | 'up';
};

export const LEGACY: LegacyConventions = {
  day_count: '30_360',
  order: ['fees', 'interest', 'principal'],
  rounding: 'truncate',
  payment_lag_days: 1,
  late_fee: { grace_days: 10, amount: 2500n },
  installment_rounding: 'half_up',
};

export type LegacyTransaction = {
  transaction_id: string;
  date: string;
  type: 'payment' | 'late_fee';
  amount: string;
};

export type LegacyFigures = {
  as_of_date: string;
  principal: string;
  interest: string;
  fees: string;
  days_past_due: number;
};

export type LegacyLoan = {
  loan_number: string;
  principal_amount: string;
  interest_rate: string;
  term_months: number;
  origination_date: string;
  first_payment_date: string;
  payment_day: number;
  payment_amount: string;
  history: LegacyTransaction[];
  figures: LegacyFigures[];
};

const DAY = 86_400_000;
const dateOf = (day: number) => new Date(day * DAY).toISOString().slice(0, 10);

/** The same day of a later month, or that month's last day. */
function monthsAfter(year: number, month: number, day: number, months: number): number {
  const index = year * 12 + month - 1 + months;
  const [y, m] = [Math.floor(index / 12), index % 12];
  const last = new Date(Date.UTC(y, m + 1, 0)).getUTCDate();
  return Date.UTC(y, m, Math.min(day, last)) / DAY;
}

/** The common denominator of all daily interest: basis points, and the days of years and periods. */
const PERIOD_LENGTHS = 377_580n; // the least common multiple of 28, 29, 30 and 31
const UNITS = 10_000n * 360n * 365n * PERIOD_LENGTHS;
const UNITS_OF_RATE = UNITS / 10_000n;

const text = (cents: bigint) => `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;

/** Mulberry32: the same seed gives the same book. */
export function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The level installment that repays the principal, in cents. */
function installmentOf(
  principal: bigint,
  basisPoints: bigint,
  count: number,
  rounding: LegacyConventions['installment_rounding'],
): bigint {
  const unit = 10n ** 40n;
  const factor = unit + (basisPoints * unit) / 120_000n;
  let [worth, annuity] = [unit, 0n];
  for (let at = 0; at < count; at += 1) {
    worth = (worth * unit) / factor;
    annuity += worth;
  }
  const whole = principal * unit;
  if (rounding === 'truncate') return whole / annuity;
  if (rounding === 'up') return (whole + annuity - 1n) / annuity;
  return (2n * whole + annuity) / (2n * annuity);
}

/** What a borrower does: pays an amount on a day, or everything that is owed. */
type Intent = { day: number; amount: bigint | 'payoff' };
type Due = { day: number; asked: bigint; covered: bigint; isCharged: boolean };
type Terms = {
  principal: bigint;
  basisPoints: bigint;
  begin: number;
  installment: bigint;
  dueDays: readonly number[];
};

class LegacyAccount {
  readonly history: LegacyTransaction[] = [];
  readonly #terms: Terms;
  readonly #conventions: LegacyConventions;
  readonly #dues: Due[];
  readonly #receipts = new Map<number, bigint[]>();
  #principal: bigint;
  #fees = 0n;
  /** All interest so far, in units of a cent, and the cents of it that are paid. */
  #earned = 0n;
  #paidInterest = 0n;
  #period = 0;

  constructor(terms: Terms, conventions: LegacyConventions) {
    this.#terms = terms;
    this.#conventions = conventions;
    this.#principal = terms.principal;
    this.#dues = terms.dueDays.map((day) => ({
      day,
      asked: terms.installment,
      covered: 0n,
      isCharged: false,
    }));
  }

  get owed(): bigint {
    return this.#principal + this.#fees + this.#interest;
  }

  get #interest(): bigint {
    const cents =
      this.#conventions.rounding === 'truncate'
        ? this.#earned / UNITS
        : (2n * this.#earned + UNITS) / (2n * UNITS);
    return cents > this.#paidInterest ? cents - this.#paidInterest : 0n;
  }

  get hasPendingReceipts(): boolean {
    return this.#receipts.size > 0;
  }

  receive(today: number, wanted: Intent['amount']) {
    const { payment_lag_days: lag } = this.#conventions;
    const amount = wanted === 'payoff' ? this.#debtAfter(today, lag) : wanted;
    this.#record(today, 'payment', amount);
    this.#receipts.set(today + lag, [...(this.#receipts.get(today + lag) ?? []), amount]);
  }

  runBatch(today: number) {
    const receipts = this.#receipts.get(today) ?? [];
    this.#receipts.delete(today);
    for (const amount of receipts) this.#cover(amount, today);
    if (this.owed > 0n) this.#chargeLateFees(today);
    for (const amount of receipts) this.#apply(amount);
  }

  earnInterest(today: number) {
    this.#earned += this.#interestOf(today);
  }

  figuresOn(today: number): LegacyFigures {
    const isOwing = this.owed > 0n;
    const oldest = this.#dues.find(({ day, asked, covered }) => day < today && covered < asked);
    return {
      as_of_date: dateOf(today),
      principal: text(this.#principal),
      interest: text(this.#interest),
      fees: text(this.#fees),
      days_past_due: isOwing && oldest !== undefined ? today - oldest.day : 0,
    };
  }

  #record(day: number, type: LegacyTransaction['type'], amount: bigint) {
    const transaction_id = String(this.history.length + 1).padStart(4, '0');
    this.history.push({ transaction_id, date: dateOf(day), type, amount: text(amount) });
  }

  #interestOf(today: number): bigint {
    const { basisPoints, begin, dueDays } = this.#terms;
    const yearly = this.#principal * basisPoints * UNITS_OF_RATE;
    if (this.#conventions.day_count === 'actual_365') return yearly / 365n;
    if (this.#conventions.day_count === 'actual_360') return yearly / 360n;
    while ((dueDays[this.#period] ?? Infinity) <= today) this.#period += 1;
    const next = this.#period;
    const from = next === 0 ? begin : (dueDays[next - 1] ?? begin);
    return yearly / 12n / BigInt((dueDays[next] ?? today + 30) - from);
  }

  /** The debt some days from now: today's balances and the interest of the days between. */
  #debtAfter(today: number, days: number): bigint {
    const [earned, period] = [this.#earned, this.#period];
    for (let day = today; day < today + days; day += 1) this.#earned += this.#interestOf(day);
    const debt = this.owed;
    [this.#earned, this.#period] = [earned, period];
    return debt;
  }

  /** Receipts count for the oldest open installments, up to the next one due. */
  #cover(amount: bigint, today: number) {
    let left = amount;
    for (const due of this.#dues) {
      const open = due.asked - due.covered;
      const part = open < left ? open : left;
      due.covered += part;
      left -= part;
      if (due.day >= today) break;
    }
  }

  #chargeLateFees(today: number) {
    const rule = this.#conventions.late_fee;
    if (rule === null) return;
    for (const due of this.#dues) {
      const isDecided = due.isCharged || today !== due.day + rule.grace_days + 1;
      if (isDecided || due.covered >= due.asked) continue;
      due.isCharged = true;
      const fee = rule.amount ?? (due.asked * (rule.percent ?? 0n) + 5_000n) / 10_000n;
      this.#fees += fee;
      this.#record(today, 'late_fee', fee);
    }
  }

  #apply(amount: bigint) {
    let left = amount;
    const take = (most: bigint) => {
      const part = most < left ? most : left;
      left -= part;
      return part;
    };
    for (const component of this.#conventions.order) {
      if (component === 'fees') this.#fees -= take(this.#fees);
      if (component === 'interest') this.#paidInterest += take(this.#interest);
      if (component === 'principal') this.#principal -= take(this.#principal);
    }
  }
}

/** A borrower's payments: usually one per installment and on time, sometimes early, late, partial, more or none. */
function planPayments(
  pick: (low: number, high: number) => number,
  { installment, dueDays }: Pick<Terms, 'installment' | 'dueDays'>,
): Intent[] {
  const habit = pick(0, 9);
  const intents: Intent[] = [];
  let missed = 0n;
  const payoffAt = pick(0, 11) === 0 ? pick(6, 22) : -1;
  for (const [index, due] of dueDays.entries()) {
    const isCareless = habit < 4 ? pick(0, 9) < 4 : pick(0, 19) === 0;
    const day = isCareless ? due + pick(1, 27) : due - pick(0, 6);
    if (index === payoffAt) {
      intents.push({ day, amount: 'payoff' });
      break;
    }
    if (isCareless && pick(0, 3) === 0) {
      missed += installment;
      continue;
    }
    if (isCareless && pick(0, 2) === 0) {
      const part = (installment * BigInt(pick(20, 90))) / 100n;
      intents.push({ day, amount: part });
      missed += installment - part;
      continue;
    }
    const more = pick(0, 14) === 0 ? BigInt(pick(10, 900)) * 100n : 0n;
    const caughtUp = missed > 0n && pick(0, 2) > 0 ? missed : 0n;
    missed -= caughtUp;
    intents.push({ day, amount: installment + more + caughtUp });
  }
  return intents;
}

/** One loan with its history and its figures at each month's end. The same number and seed give the same loan. */
export function runLegacyLoan(
  number: number,
  { conventions = LEGACY, months = 24, seed = 1 }: LegacyRun = {},
): LegacyLoan {
  const roll = dice(seed * 1_000_003 + number);
  const pick = (low: number, high: number) => low + Math.floor(roll() * (high - low + 1));
  const principal = BigInt(pick(1_000, 40_000)) * 100n + BigInt(pick(0, 3) === 0 ? pick(0, 99) : 0);
  const basisPoints = BigInt(pick(399, 2_999));
  const term = [36, 36, 48, 60, 72][pick(0, 4)] ?? 36;
  const [year, month, day] = [pick(2022, 2023), pick(1, 12), pick(1, 28)];
  const begin = monthsAfter(year, month, day, 0);
  const dueDays = Array.from({ length: term }, (_, at) => monthsAfter(year, month, day, at + 1));
  const installment = installmentOf(principal, basisPoints, term, conventions.installment_rounding);
  const account = new LegacyAccount(
    { principal, basisPoints, begin, installment, dueDays },
    conventions,
  );
  const intents = new Map<number, Intent['amount'][]>();
  for (const { day: on, amount } of planPayments(pick, { installment, dueDays }))
    intents.set(on, [...(intents.get(on) ?? []), amount]);
  const figures: LegacyFigures[] = [];
  const monthEnds = new Set(
    Array.from({ length: months + 1 }, (_, at) => monthsAfter(year, month, 1, at + 1) - 1),
  );
  for (let today = begin; today < monthsAfter(year, month, 1, months + 1); today += 1) {
    for (const amount of intents.get(today) ?? []) {
      const isPossible = account.owed > 0n && (amount !== 'payoff' || !account.hasPendingReceipts);
      if (isPossible) account.receive(today, amount);
    }
    account.runBatch(today);
    if (monthEnds.has(today)) figures.push(account.figuresOn(today));
    account.earnInterest(today);
  }
  return {
    loan_number: `L-${String(number).padStart(6, '0')}`,
    principal_amount: text(principal),
    interest_rate: (Number(basisPoints) / 10_000).toFixed(4),
    term_months: term,
    origination_date: dateOf(begin),
    first_payment_date: dateOf(dueDays[0] ?? begin),
    payment_day: day,
    payment_amount: text(installment),
    history: account.history,
    figures,
  };
}

export type LegacyRun = { conventions?: LegacyConventions; months?: number; seed?: number };

export const runLegacyBook = (count: number, run: LegacyRun = {}): LegacyLoan[] =>
  Array.from({ length: count }, (_, number) => runLegacyLoan(number + 1, run));
