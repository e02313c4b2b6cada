import type { Big } from 'big.js';
import { daysBetween, monthEnd, partsOf } from '../../dates.ts';
import {
  atLeastZero,
  divide,
  isZero,
  min,
  money,
  parseMoney,
  parseRate,
  toCents,
  ZERO,
  type Rounding,
} from '../../money.ts';
import { interestFor } from './day-count.ts';
import { dueDates, onePeriodAfter } from './due-dates.ts';
import { exactCents, flatPayment, solvePayment } from './level-payment.ts';
import { factorsOf } from './period-rate.ts';
import { interestOfPeriod } from './thirty-day-months.ts';
import type {
  Amortization,
  DayCount,
  InstallmentCalculation,
  InterestMethod,
  PaymentFrequency,
  Terms,
} from './terms.ts';

/** One instalment of a plan; amounts are money, dates are dates. */
export type ScheduleRow = {
  period_number: number;
  due_date: string;
  payment_amount: string;
  principal_amount: string;
  interest_amount: string;
  fees_amount: string;
  beginning_balance: string;
  ending_balance: string;
  days_in_period: number;
};

export type ScheduleInput = {
  principal: string;
  interest_rate: string;
  payment_frequency: PaymentFrequency;
  number_of_payments: number;
  /** The day interest starts: disbursement, or the paid-through date of a loan in mid-life. */
  start_date: string;
  /** One period after the start where it is not given. */
  first_payment_date?: string | null;
  /** The days of the instalments where they follow no rhythm. */
  due_dates?: readonly string[];
  payment_day?: number | null;
  amortization?: Amortization;
  interest_method?: InterestMethod;
  day_count?: DayCount;
  installment_calculation?: InstallmentCalculation;
  installment_rounding?: Rounding;
  rounding_mode?: Terms['rounding_mode'];
  /** Accrued before the start and not paid: the first rows ask for it. */
  unpaid_interest?: string;
  balloon_amount?: string | null;
  /** The instalment that the lender already bills; the plan keeps it and only the last differs. */
  payment_amount?: string | null;
  first_period_number?: number;
};

/**
 * The schedule of a plan: every row's parts add up, and the last balance is zero.
 *
 * What the rows ask for is agreed; how each is split follows from the interest that it finds. A loan
 * that accrues by the day finds what its days have earned, exactly as the fold counts it; where the
 * schedule itself says what interest is earned, that is the balance times the period's part of the
 * rate, rounded once (flat: the part of all its interest). The last row asks for all that is owed
 * then. Interest that an instalment is too small to pay waits, without interest on it, for a row
 * that can pay it.
 */
export function buildSchedule(input: ScheduleInput): ScheduleRow[] {
  const principal = parseMoney(input.principal);
  if (principal.lte(0) || input.number_of_payments < 1) return [];
  const periods = periodsOf(input);
  const ask = askOf(input, principal, periods);
  const interestDue = (isDaily(input) ? daily : input.interest_method === 'flat' ? flat : periodic)(
    input,
    periods,
  );
  const rows: ScheduleRow[] = [];
  const last = periods.length - 1;
  let balance = principal;
  let unpaid = parseMoney(input.unpaid_interest ?? '0.00');
  for (const [index, period] of periods.entries()) {
    let owed = unpaid.plus(interestDue(index, balance));
    if (input.interest_method === 'flat' && ask(index, balance, owed).gte(balance.plus(owed)))
      owed = owed.plus(interestDue(last, balance));
    const whole = balance.plus(owed);
    const due = index === last ? whole : min(ask(index, balance, owed), whole);
    const interest = min(owed, due);
    const paid = due.minus(interest);
    unpaid = owed.minus(interest);
    rows.push(rowOf(input, index, period, { due, interest, principal: paid, balance }));
    balance = balance.minus(paid);
    if (isZero(balance) && isZero(unpaid)) break;
  }
  return rows;
}

const isDaily = ({ interest_method }: ScheduleInput) =>
  interest_method === 'simple_daily' || interest_method === 'interest_only';

type Period = { from: string; due_date: string; days: number; factor: Big };

/** The interest that becomes due with an instalment, in cents, on a balance until then. */
type InterestDue = (index: number, balance: Big) => Big;

/** The cents of what the balance times the period's part of the rate comes to. */
const periodic =
  (_: ScheduleInput, periods: readonly Period[]): InterestDue =>
  (index, balance) =>
    exactCents(balance.times(periods[index]?.factor ?? ZERO));

/**
 * Each period's part of the interest on the first principal; the parts add up to its cents. Instalments
 * that were rounded up may repay the loan before its last period: what is left is then asked for too.
 */
function flat(input: ScheduleInput, periods: readonly Period[]): InterestDue {
  const principal = parseMoney(input.principal);
  let factor = ZERO;
  const by = periods.map((period) => {
    factor = factor.plus(period.factor);
    return exactCents(principal.times(factor));
  });
  let asked = ZERO;
  return (index) => {
    const interest = atLeastZero((by[index] ?? ZERO).minus(asked));
    asked = asked.plus(interest);
    return interest;
  };
}

/** What the days have earned: cents of the sum of all stretches of an unchanged balance. */
function daily(input: ScheduleInput, periods: readonly Period[]): InterestDue {
  const rate = parseRate(input.interest_rate);
  const day_count = input.day_count ?? 'actual_365';
  if (day_count === '30_360') return byPeriods(input, periods);
  let stretch = { since: input.start_date, balance: ZERO };
  // A period begins where the one before ends: what had accrued by then ends its stretch.
  let [before, accrued, asked] = [ZERO, ZERO, ZERO];
  return (index, balance) => {
    const { from, due_date } = periods[index] ?? { from: '', due_date: '' };
    if (!balance.eq(stretch.balance)) {
      before = accrued;
      stretch = { since: from, balance };
    }
    accrued = before.plus(interestFor(balance, rate, day_count, stretch.since, due_date));
    const cents = toCents(accrued, input.rounding_mode);
    const interest = cents.minus(asked);
    asked = cents;
    return interest;
  };
}

/** The same by 30/360, where each period has its own interest. */
function byPeriods(input: ScheduleInput, periods: readonly Period[]): InterestDue {
  const rate = parseRate(input.interest_rate);
  const counting = { day_count: '30_360', payment_frequency: input.payment_frequency } as const;
  let accrued = ZERO;
  return (index, balance) => {
    const { from, due_date: to } = periods[index] ?? { from: '', due_date: '' };
    const before = toCents(accrued, input.rounding_mode);
    accrued = accrued.plus(interestOfPeriod(balance, rate, counting, { from, to }));
    return toCents(accrued, input.rounding_mode).minus(before);
  };
}

/** The periods with the part of the rate by which the instalment is computed. */
function periodsOf(input: ScheduleInput): Period[] {
  const rate = parseRate(input.interest_rate);
  const { payment_frequency: frequency, number_of_payments: count, start_date: start } = input;
  const day = input.payment_day ?? intendedDay(start, input.first_payment_date ?? null);
  const first = input.first_payment_date ?? onePeriodAfter(frequency, start, 1, day);
  const dates = input.due_dates ?? dueDates(frequency, first, count, day);
  const factorOf = factorsOf(input, rate);
  return dates.map((due_date, index) => {
    const from = index === 0 ? start : (dates[index - 1] ?? start);
    const days = daysBetween(from, due_date);
    return { from, due_date, days, factor: factorOf({ from, to: due_date }) };
  });
}

/** A first date at the end of a month shorter than the start's day means the start's day. */
function intendedDay(start: string, first: string | null): number {
  const { day } = partsOf(start);
  if (first === null) return day;
  const firstDay = partsOf(first).day;
  return first === monthEnd(first) && day > firstDay ? day : firstDay;
}

/** What a row asks for, given the balance and the interest that it finds. */
type Ask = (index: number, balance: Big, interest: Big) => Big;

const level =
  (amount: Big): Ask =>
  () =>
    amount;

/** What each row but the last asks for. */
function askOf(input: ScheduleInput, principal: Big, periods: readonly Period[]): Ask {
  const rounding = input.installment_rounding ?? 'half_up';
  if (input.payment_amount) return level(parseMoney(input.payment_amount));
  const amortization =
    input.interest_method === 'interest_only' ? 'interest_only' : input.amortization;
  if (amortization === 'interest_only') return (_index, _balance, interest) => interest;
  if (amortization === 'level_principal') {
    const part = exactCents(divide(principal, periods.length), rounding);
    return (_index, balance, interest) => min(part, balance).plus(interest);
  }
  const factors = periods.map((period) => period.factor);
  if (input.interest_method === 'flat') return level(flatPayment(principal, factors, rounding));
  const balloon = amortization === 'balloon' ? balloonOf(input, principal) : ZERO;
  const whole = principal.plus(unpaidAtStart(input, factors));
  return level(solvePayment(whole, factors, rounding, balloon));
}

/** Interest that is unpaid when the plan begins is due with the first row and earns none itself. */
const unpaidAtStart = ({ unpaid_interest }: ScheduleInput, [first = ZERO]: readonly Big[]) =>
  divide(parseMoney(unpaid_interest ?? '0.00'), first.plus(1));

/** A balloon loan without a stated balloon leaves all its principal to the end. */
function balloonOf(input: ScheduleInput, principal: Big): Big {
  return input.balloon_amount ? parseMoney(input.balloon_amount) : principal;
}

function rowOf(
  input: ScheduleInput,
  index: number,
  period: Period,
  amounts: { due: Big; interest: Big; principal: Big; balance: Big },
): ScheduleRow {
  return {
    period_number: (input.first_period_number ?? 1) + index,
    due_date: period.due_date,
    payment_amount: money(amounts.due),
    principal_amount: money(amounts.principal),
    interest_amount: money(amounts.interest),
    fees_amount: '0.00',
    beginning_balance: money(amounts.balance),
    ending_balance: money(amounts.balance.minus(amounts.principal)),
    days_in_period: period.days,
  };
}
