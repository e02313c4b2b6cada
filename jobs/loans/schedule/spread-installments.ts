import { Big } from 'big.js';
import { addDays } from '../../dates.ts';
import { atLeastZero, max, min, money, parseMoney, sum, ZERO } from '../../money.ts';
import { buildSchedule, type ScheduleInput, type ScheduleRow } from '../arithmetic/amortize.ts';
import { interestFor } from '../arithmetic/day-count.ts';
import { dueDates } from '../arithmetic/due-dates.ts';
import { accruesBySchedule, type Terms } from '../arithmetic/terms.ts';
import { interestOver } from '../arithmetic/thirty-day-months.ts';
import type { AgreementOf } from './agreement.ts';
import { feesIn, withFees } from './spread-fees.ts';
import {
  isUnpaid,
  numberAfterLast,
  type CoveredRow,
  type RateOn,
  type ScheduleBasis,
} from './schedule-basis.ts';

type SpreadAgreement = AgreementOf<'spread'>;

/**
 * Amortizes the remaining debt from a given number on. From the oldest unpaid installment on, this cures
 * the past-due amount. Older unpaid installments stay open, and the new schedule repays the balance and
 * unpaid interest that remain after their payment.
 */
export function spreadInstallments(
  agreement: SpreadAgreement,
  basis: ScheduleBasis,
  terms: Terms,
  rateOn: RateOn,
): ScheduleRow[] {
  const { installments } = basis;
  const from = firstNumber(agreement, basis);
  const replaced = installments.filter(({ period_number }) => period_number >= from);
  const before = installments.findLast(({ period_number }) => period_number < from)?.due_date ?? '';
  const due_dates = datesOf(agreement, replaced, terms).filter((day) => day > before);
  const last = due_dates.at(-1);
  if (last === undefined) return [];
  const start = agreement.accrues_from ?? startOf(basis, from);
  const interest_rate = rateOn(last).toFixed();
  const keptRows = installments.filter((row) => row.period_number < from && isUnpaid(row));
  const { principal, unpaid_interest } = leftBy(
    keptRows,
    basis,
    { start, due_dates, interest_rate },
    terms,
  );
  const rows = build({
    ...terms,
    principal: money(principal),
    unpaid_interest: money(unpaid_interest),
    interest_rate,
    number_of_payments: due_dates.length,
    start_date: start,
    due_dates,
    payment_amount: agreement.payment_amount ?? null,
    first_period_number: from,
    interest_only: leadingInterestOnly(agreement, from),
  });
  const more = parseMoney(agreement.more_fees ?? '0.00');
  return withFees(rows, upcomingFees(basis, replaced).plus(more));
}

/** Paid installments stay unchanged, even those paid by an event that is recorded later. */
function firstNumber({ from }: SpreadAgreement, basis: ScheduleBasis): number {
  const first = from === 'oldest_unpaid' ? 1 : from;
  const open = basis.installments.find((row) => row.period_number >= first && isUnpaid(row));
  return open?.period_number ?? numberAfterLast(basis);
}

/** The number of interest-only installments that remain. */
const leadingInterestOnly = (
  { from: first, interest_only = 0 }: SpreadAgreement,
  from: number,
): number =>
  first === 'oldest_unpaid' ? interest_only : Math.max(0, interest_only - (from - first));

function datesOf({ dates }: SpreadAgreement, replaced: readonly CoveredRow[], terms: Terms) {
  if (dates === undefined) return replaced.map(({ due_date }) => due_date);
  if (!('first' in dates)) return dates;
  return dueDates(terms.payment_frequency, dates.first, dates.count, dates.payment_day);
}

/** The first new period begins at the previous row's due date, or where the first period began. */
function startOf({ installments, as_of }: ScheduleBasis, from: number): string {
  const before = installments.findLast(({ period_number }) => period_number < from);
  if (before !== undefined) return before.due_date;
  const [first] = installments;
  return first === undefined ? as_of : addDays(first.due_date, -first.days_in_period);
}

type ScheduleDates = { start: string; due_dates: readonly string[] };

/** Interest already accrued that belongs to the new schedule's first periods. */
function earnedInSchedule(
  balance: Big,
  rate: Big,
  terms: Terms,
  { start, due_dates }: ScheduleDates,
  { as_of }: ScheduleBasis,
): Big {
  if (terms.day_count !== '30_360')
    return interestFor(balance, rate, terms.day_count, start, as_of);
  const periods = due_dates.map((to, index) => ({ from: due_dates[index - 1] ?? start, to }));
  return interestOver(balance, rate, terms, periods, as_of);
}

/** The principal and earlier interest that remain once the kept rows are paid. */
function leftBy(
  keptRows: readonly CoveredRow[],
  basis: ScheduleBasis,
  { start, due_dates, interest_rate }: ScheduleDates & { interest_rate: string },
  terms: Terms,
) {
  const owed = parseMoney(basis.principal_balance);
  if (accruesBySchedule(terms)) {
    return { principal: atLeastZero(owed.minus(principalOf(keptRows))), unpaid_interest: ZERO };
  }
  const asked = sum(keptRows.map(restOf)).minus(feesIn(keptRows));
  const interest = parseMoney(basis.accrued_interest);
  const principal = atLeastZero(owed.minus(atLeastZero(asked.minus(interest))));
  const agreed = new Big(interest_rate);
  const rate = basis.rate_cap === null ? agreed : min(agreed, new Big(basis.rate_cap));
  const inPlan = earnedInSchedule(owed, rate, terms, { start, due_dates }, basis);
  return { principal, unpaid_interest: atLeastZero(interest.minus(max(inPlan, asked))) };
}

const restOf = (row: CoveredRow): Big =>
  atLeastZero(parseMoney(row.payment_amount).minus(row.paid_amount));

const principalOf = (rows: readonly CoveredRow[]): Big =>
  sum(rows.map((row) => min(restOf(row), parseMoney(row.principal_amount))));

/** The spread fees of the replaced rows, capped at the fees still owed. */
function upcomingFees({ fees }: ScheduleBasis, replaced: readonly CoveredRow[]): Big {
  const asked = fees.filter(({ is_spread }) => is_spread);
  const owed = sum(asked.map(({ outstanding_amount }) => parseMoney(outstanding_amount)));
  return min(feesIn(replaced), owed);
}

/** The rows: interest-only installments first, then those that repay the loan. */
function build({
  interest_only,
  ...plan
}: ScheduleInput & { interest_only: number }): ScheduleRow[] {
  const all = plan.due_dates ?? [];
  // The last one always repays principal.
  const interestOnlyCount = Math.min(interest_only, all.length - 1);
  if (interestOnlyCount === 0) return buildSchedule(plan);
  const whole = buildSchedule({ ...plan, payment_amount: null, amortization: 'interest_only' });
  const first = whole.slice(0, interestOnlyCount);
  const begin = first.at(-1);
  if (begin === undefined || whole.length <= interestOnlyCount) return whole;
  const rest = buildSchedule({
    ...plan,
    principal: begin.ending_balance,
    unpaid_interest: '0.00',
    start_date: begin.due_date,
    due_dates: all.slice(interestOnlyCount),
    number_of_payments: all.length - interestOnlyCount,
    first_period_number: begin.period_number + 1,
  });
  return [...first, ...rest];
}
