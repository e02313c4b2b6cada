import { Big } from 'big.js';
import { divide, parseRate, roundToTenPlaces, ZERO } from '../../money.ts';
import type { ScheduleRow } from './amortize.ts';
import { toUnits, parseCents } from './minor-units.ts';
import type { DayCount, PaymentFrequency } from './terms.ts';
import {
  singlePaymentIntervals,
  unitPeriods,
  type Interval,
  type UnitPeriod,
} from './unit-periods.ts';

/** An advance to the borrower, or a payment by the borrower. */
export type CashFlow = { date: string; amount: string };

/** The amount is in cents. */
type TimedCashFlow = Interval & { amount: bigint };

const UNIT_OF: Record<Exclude<PaymentFrequency, 'single'>, UnitPeriod> = {
  monthly: { kind: 'month', count: 1 },
  quarterly: { kind: 'month', count: 3 },
  semi_monthly: { kind: 'semimonth' },
  weekly: { kind: 'week', count: 1 },
  biweekly: { kind: 'week', count: 2 },
};

/**
 * The annual percentage rate as a fraction, by the actuarial method of Regulation Z, Appendix J.
 *
 * The result is the unit-period rate i at which the present values of advances and payments are equal,
 * times the number of unit-periods in a year. A flow after t full unit-periods and a fraction f is divided
 * by (1 + f·i)(1 + i)^t. The term begins with the first advance.
 */
export function annualPercentageRate(
  advances: readonly CashFlow[],
  payments: readonly CashFlow[],
  unit: UnitPeriod,
): Big {
  const start = startOf(advances);
  const dates = payments.map((payment) => payment.date);
  const { intervalTo, per_year } = unitPeriods(start, dates, unit);
  const timed = (flow: CashFlow) => ({ ...intervalTo(flow.date), amount: parseCents(flow.amount) });
  return solveRate(advances.map(timed), payments.map(timed)).times(per_year);
}

/** The rate of a loan with one advance and one payment. */
export function singlePaymentRate(advance: CashFlow, payment: CashFlow): Big {
  const { interval, per_year } = singlePaymentIntervals(advance.date, payment.date);
  const lent = { full: 0, fraction: ZERO, amount: parseCents(advance.amount) };
  const repaid = { ...interval, amount: parseCents(payment.amount) };
  return solveRate([lent], [repaid]).times(per_year);
}

/** The APR of a schedule for the amount financed, rounded to six places for disclosure. */
export function computeScheduleApr(input: {
  amount_financed: string;
  start_date: string;
  payment_frequency: PaymentFrequency;
  schedule: readonly Pick<ScheduleRow, 'due_date' | 'payment_amount'>[];
}): string {
  const advance = { date: input.start_date, amount: input.amount_financed };
  const payments = input.schedule
    .map((row) => ({ date: row.due_date, amount: row.payment_amount }))
    .filter((payment) => parseCents(payment.amount) !== 0n);
  const only = payments[0];
  if (only === undefined || parseCents(input.amount_financed) <= 0n) return '0.000000';
  const unit =
    input.payment_frequency === 'single' ? UNIT_OF.monthly : UNIT_OF[input.payment_frequency];
  const rate =
    payments.length === 1
      ? singlePaymentRate(advance, only)
      : annualPercentageRate([advance], payments, unit);
  return rate.toFixed(6);
}

/**
 * The column type `app.rate` cannot store this rate (1,000,000 percent a year). No real loan comes near it.
 */
const RATE_LIMIT = 10_000;
export const isDisclosableApr = (apr: string): boolean => new Big(apr).lt(RATE_LIMIT);

/** The days in a year for each day count. Under 30/360, months count instead. */
const DAYS_OF_YEAR = {
  actual_365: 365,
  actual_360: 360,
  actual_364: 364,
  actual_actual: 365,
  '30_360': null,
} satisfies Record<DayCount, number | null>;

/**
 * The daily rate of open-end credit with daily interest, and its annual percentage rate: the daily rate
 * times 365 (12 CFR 1026.14(b)). A yearly rate of 0.18 over 360 days is 0.0005 a day and an APR of 0.1825.
 */
export function openEndRates(rate: string, dayCount: DayCount) {
  const days = DAYS_OF_YEAR[dayCount];
  const yearly = parseRate(rate);
  if (days === null) return { apr: yearly.toFixed(), daily_rate: null, days_of_year: null };
  const daily = divide(yearly, days);
  const apr = days === 365 ? yearly : daily.times(365).round(6);
  return {
    apr: apr.toFixed(),
    daily_rate: roundToTenPlaces(daily).toFixed(),
    days_of_year: String(days),
  };
}

function startOf(advances: readonly CashFlow[]): string {
  const dates = advances.map((advance) => advance.date).toSorted();
  const first = dates[0];
  if (first === undefined) throw new RangeError('A rate requires an advance.');
  return first;
}

/** Keeps 20 places: far more than a disclosed rate needs, and fast enough for 360 payments. */
function roundToTwentyPlaces(value: Big): Big {
  return value.round(20, 1);
}

/**
 * Finds the unit-period rate by Newton's method. The first guess in floating point is off by less than a
 * billionth of a percent, so one exact step is usually enough.
 */
function solveRate(advances: readonly TimedCashFlow[], payments: readonly TimedCashFlow[]): Big {
  if (totalOf(payments) <= totalOf(advances)) return ZERO;
  const flows = [
    ...payments.map(toApproximate),
    ...advances.map(toApproximate).map((flow) => ({ ...flow, amount: -flow.amount })),
  ];
  let rate = roundToTwentyPlaces(new Big(approximateRate(flows)));
  for (let step = 0; step < 60; step += 1) {
    const slope = roundToTwentyPlaces(new Big(presentValueAndSlope(flows, Number(rate)).slope));
    if (slope.eq(0)) return rate;
    const gap = presentValue(payments, rate).minus(presentValue(advances, rate));
    const move = divide(gap, slope);
    rate = roundToTwentyPlaces(rate.minus(move));
    if (rate.lt('-0.9')) rate = ZERO;
    if (move.abs().lt('0.000000000001')) return rate;
  }
  return rate;
}

const totalOf = (flows: readonly TimedCashFlow[]): bigint =>
  flows.reduce((total, { amount }) => total + amount, 0n);

/**
 * Floating-point flows. They provide the first guess and the slope; the result itself is computed exactly.
 */
type ApproximateCashFlow = { amount: number; full: number; fraction: number };

const toApproximate = ({ amount, full, fraction }: TimedCashFlow): ApproximateCashFlow => ({
  amount: Number(amount) / 100,
  full,
  fraction: Number(fraction),
});

/** Newton's method, starting from a rate of zero. */
function approximateRate(flows: readonly ApproximateCashFlow[]): number {
  let rate = 0;
  for (let step = 0; step < 60; step += 1) {
    const { value, slope } = presentValueAndSlope(flows, rate);
    const next = rate - value / slope;
    if (!Number.isFinite(next) || next <= -0.9) return rate;
    if (Math.abs(next - rate) < 1e-15) return next;
    rate = next;
  }
  return rate;
}

/** The present value of flows at a rate, and its derivative. */
function presentValueAndSlope(
  flows: readonly ApproximateCashFlow[],
  rate: number,
): { value: number; slope: number } {
  let value = 0;
  let slope = 0;
  for (const { amount, full, fraction } of flows) {
    const odd = 1 + fraction * rate;
    const present = amount / (odd * (1 + rate) ** full);
    value += present;
    slope -= present * (full / (1 + rate) + fraction / odd);
  }
  return { value, slope };
}

/** Fixed-point one with 20 places. Bigint arithmetic is about twenty times faster than `Big` here. */
const ONE = 10n ** 20n;
const unitsOf = (value: Big): bigint => toUnits(roundToTwentyPlaces(value), 20);

/** Fixed-point division, rounded to the nearest unit. */
const perUnit = (value: bigint, divisor: bigint): bigint => (value * ONE + divisor / 2n) / divisor;

function presentValue(flows: readonly TimedCashFlow[], rate: Big): Big {
  const interest = unitsOf(rate);
  const powers = [ONE];
  const power = (count: number): bigint => {
    for (let at = powers.length; at <= count; at += 1)
      powers.push(perUnit(powers[at - 1] ?? ONE, ONE + interest));
    return powers[count] ?? ONE;
  };
  // Payments at regular intervals share one fraction.
  let [known, odd] = [ZERO, ONE];
  let total = 0n;
  for (const { amount, full, fraction } of flows) {
    if (fraction !== known) [known, odd] = [fraction, ONE + (unitsOf(fraction) * interest) / ONE];
    total += perUnit(amount * power(full), odd);
  }
  return new Big(total.toString()).times('1e-22');
}
