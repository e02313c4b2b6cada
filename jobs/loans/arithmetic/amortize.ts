import { Big } from 'big.js';
import { daysBetween, monthEnd, partsOf } from '../../dates.ts';
import {
  divide,
  max,
  min,
  money,
  parseMoney,
  parseRate,
  toCents,
  ZERO,
  type Rounding,
} from '../../money.ts';
import { yearFraction } from './day-count.ts';
import { dueDates, onePeriodAfter, paymentsPerYear } from './due-dates.ts';
import type {
  Amortization,
  DayCount,
  InstallmentCalculation,
  InterestMethod,
  PaymentFrequency,
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
  payment_day?: number | null;
  amortization?: Amortization;
  interest_method?: InterestMethod;
  day_count?: DayCount;
  installment_calculation?: InstallmentCalculation;
  installment_rounding?: Rounding;
  balloon_amount?: string | null;
  /** The instalment that the lender already bills; the plan keeps it and only the last differs. */
  payment_amount?: string | null;
  first_period_number?: number;
};

/**
 * The plan of a loan: every row's parts add up, and the last balance is zero.
 *
 * A row's interest is the balance times the period's factor, rounded to cents once. The last row
 * pays what is left, so it takes the residue of all roundings. Interest that a given instalment is
 * too small to pay is carried, without interest on it, to the rows that can pay it.
 */
export function buildSchedule(input: ScheduleInput): ScheduleRow[] {
  const principal = parseMoney(input.principal);
  if (principal.lte(0) || input.number_of_payments < 1) return [];
  const periods = periodsOf(input);
  const plan = planOf(input, principal, periods);
  const rows: ScheduleRow[] = [];
  let balance = principal;
  let carried = ZERO;
  for (const [index, period] of periods.entries()) {
    const isLast = index === periods.length - 1;
    const base = input.interest_method === 'flat' ? principal : balance;
    const accrued = toCents(base.times(period.factor)).plus(carried);
    const wanted = plan.payment(index, balance, accrued);
    const due = isLast ? balance.plus(accrued) : min(wanted, balance.plus(accrued));
    const interest = min(accrued, due);
    const paid = due.minus(interest);
    carried = accrued.minus(interest);
    rows.push(rowOf(input, index, period, { due, interest, principal: paid, balance }));
    balance = balance.minus(paid);
    if (balance.eq(0) && carried.eq(0)) break;
  }
  return rows;
}

type Period = { due_date: string; days: number; factor: Big };

/** The periods with the part of the rate that each one earns. */
function periodsOf(input: ScheduleInput): Period[] {
  const rate = parseRate(input.interest_rate);
  const { payment_frequency: frequency, number_of_payments: count, start_date: start } = input;
  const day = input.payment_day ?? intendedDay(start, input.first_payment_date ?? null);
  const first = input.first_payment_date ?? onePeriodAfter(frequency, start, 1, day);
  const dates = dueDates(frequency, first, count, day);
  return dates.map((due_date, index) => {
    const from = index === 0 ? start : (dates[index - 1] ?? start);
    const days = daysBetween(from, due_date);
    const real = frequency === 'single' || input.installment_calculation === 'actual_days';
    const factor = real
      ? rate.times(yearFraction(input.day_count ?? 'actual_365', from, due_date))
      : periodicRate(rate, frequency);
    return { due_date, days, factor };
  });
}

/** A first date at the end of a month shorter than the start's day means the start's day. */
function intendedDay(start: string, first: string | null): number {
  const { day } = partsOf(start);
  if (first === null) return day;
  const firstDay = partsOf(first).day;
  return first === monthEnd(first) && day > firstDay ? day : firstDay;
}

/** The part of a yearly rate that one regular period earns: a twelfth, a 26th, … */
export function periodicRate(rate: Big, frequency: Exclude<PaymentFrequency, 'single'>): Big {
  return divide(rate, paymentsPerYear(frequency));
}

type Plan = { payment(index: number, balance: Big, interest: Big): Big };

function level(amount: Big): Plan {
  return { payment: () => amount };
}

/** What each row but the last pays. */
function planOf(input: ScheduleInput, principal: Big, periods: readonly Period[]): Plan {
  const rounding = input.installment_rounding ?? 'half_up';
  if (input.payment_amount) return level(parseMoney(input.payment_amount));
  const amortization =
    input.interest_method === 'interest_only' ? 'interest_only' : input.amortization;
  if (amortization === 'interest_only')
    return { payment: (_index, _balance, interest) => interest };
  if (amortization === 'level_principal') {
    const part = toCents(divide(principal, periods.length), rounding);
    return { payment: (_index, balance, interest) => min(part, balance).plus(interest) };
  }
  const factors = periods.map((period) => period.factor);
  if (input.interest_method === 'flat') return level(flatPayment(principal, factors, rounding));
  const balloon = amortization === 'balloon' ? balloonOf(input, principal) : ZERO;
  return level(solvePayment(principal, factors, rounding, balloon));
}

/** A balloon loan without a stated balloon leaves all its principal to the end. */
function balloonOf(input: ScheduleInput, principal: Big): Big {
  return input.balloon_amount ? parseMoney(input.balloon_amount) : principal;
}

function flatPayment(principal: Big, factors: readonly Big[], rounding: Rounding): Big {
  const interest = factors.reduce((total, factor) => total.plus(principal.times(factor)), ZERO);
  return toCents(divide(principal.plus(interest), factors.length), rounding);
}

/**
 * The level payment of P at the periodic rate i over n periods: P·i / (1 − (1 + i)^−n).
 * 10000.00 at 0.085 / 12 over 36: 315.68. At rate zero: P / n.
 */
export function levelPayment(
  principal: Big,
  rate: Big,
  count: number,
  options: { rounding?: Rounding; balloon?: Big } = {},
): Big {
  const factors = Array.from({ length: count }, () => rate);
  return solvePayment(principal, factors, options.rounding ?? 'half_up', options.balloon);
}

/**
 * The level payment that brings the principal to the balloon over periods of any length: with v_k
 * the product of 1 / (1 + f_j) up to k, it is (P − balloon · v_n) / Σ v_k.
 */
function solvePayment(
  principal: Big,
  factors: readonly Big[],
  rounding: Rounding,
  balloon: Big = ZERO,
): Big {
  let discount = new Big(1);
  let annuity = ZERO;
  for (const factor of factors) {
    discount = divide(discount, factor.plus(1));
    annuity = annuity.plus(discount);
  }
  if (annuity.eq(0)) return principal;
  const exact = divide(principal.minus(balloon.times(discount)), annuity);
  return max(toCents(exact, rounding), ZERO);
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
