import type { Big } from 'big.js';
import { addDays, addMonths, daysBetween } from '../../dates.ts';
import { atLeastZero, min, money, parseMoney, sum } from '../../money.ts';
import { buildSchedule, type ScheduleRow } from '../arithmetic/amortize.ts';
import { dueDates, onePeriodAfter } from '../arithmetic/due-dates.ts';
import type { PaymentFrequency, Terms } from '../arithmetic/terms.ts';
import { feesIn, withFees } from '../engine/spread-fees.ts';
import type { InstallmentState, LoanState } from '../engine/state.ts';
import { planned } from './planned.ts';

/**
 * New plans for a loan in mid-life, as rows of a `schedule_replaced` event. A plan takes the place
 * of the old one from its first row's number on; whatever is older stays as it was.
 */

/** What a modification may change; what is not named stays as the loan has it. */
export type Replan = {
  /** Past-due instalments are kept (`next`), or folded into the new plan (`oldest_unpaid`). */
  from?: 'next' | 'oldest_unpaid';
  effective_date: string;
  /** Where interest starts to count in the plan: the effective date if interest is capitalized. */
  start_date?: string;
  interest_rate?: string;
  number_of_payments?: number;
  payment_amount?: string | null;
  first_due_date?: string;
  payment_day?: number | null;
  /** Fees to be spread over the new plan, beside those of the old one. */
  more_fees?: Big;
};

/**
 * Amortizes again what is still to be repaid, from the next due date or from the oldest unpaid
 * instalment (which cures what is past due). Where past-due instalments stay, the principal that
 * they still ask for is theirs, and the new plan repays the rest.
 */
export function reamortize(state: LoanState, terms: Terms, change: Replan): ScheduleRow[] {
  const open = state.installments.filter(({ status }) => status !== 'paid');
  const isPast = (row: InstallmentState) => row.due_date < change.effective_date;
  const kept = change.from === 'oldest_unpaid' ? [] : open.filter(isPast);
  const replaced = open.filter((row) => !kept.includes(row));
  const last = state.installments.at(-1);
  const firstNumber = replaced[0]?.period_number ?? (last?.period_number ?? 0) + 1;
  const principal = parseMoney(state.principal_balance).minus(principalOf(kept));
  const upcoming = replaced.find((row) => !isPast(row));
  const start = change.effective_date;
  const rows = buildSchedule({
    ...terms,
    principal: money(atLeastZero(principal)),
    interest_rate: change.interest_rate ?? state.contract_rate,
    number_of_payments: change.number_of_payments ?? Math.max(1, replaced.length),
    start_date: change.start_date ?? periodStart(state, firstNumber, start),
    first_payment_date:
      change.first_due_date ??
      upcoming?.due_date ??
      onePeriodAfter(terms.payment_frequency, start, terms.term_months, terms.payment_day),
    payment_day: change.payment_day ?? terms.payment_day,
    payment_amount: change.payment_amount ?? null,
    first_period_number: firstNumber,
  });
  return withFees(rows, feesAhead(state, replaced).plus(change.more_fees ?? 0));
}

/** What the replaced rows ask for of fees, as far as these are still owed. */
function feesAhead({ fees }: LoanState, replaced: readonly InstallmentState[]): Big {
  const spread = fees.filter(({ is_spread }) => is_spread);
  const owed = sum(spread.map(({ outstanding_amount }) => parseMoney(outstanding_amount)));
  return min(feesIn(replaced), owed);
}

/** The first new period begins where the row before it was due, or where the old one began. */
function periodStart(state: LoanState, firstNumber: number, effective: string): string {
  const before = state.installments.findLast(({ period_number }) => period_number < firstNumber);
  if (before !== undefined) return before.due_date;
  const first = state.installments[0];
  return first === undefined ? effective : addDays(first.due_date, -first.days_in_period);
}

function principalOf(rows: readonly InstallmentState[]): Big {
  return sum(
    rows.map((row) => {
      const rest = parseMoney(row.payment_amount).minus(row.paid_amount);
      return min(atLeastZero(rest), parseMoney(row.principal_amount));
    }),
  );
}

/**
 * Moves the due dates from a row on by periods or days; amounts stay, interest of the longer period
 * accrues by the day. This is a deferment or a reschedule that extends the maturity.
 */
export function shiftPlan(
  rows: readonly ScheduleRow[],
  shift: {
    from_number: number;
    frequency: PaymentFrequency;
    periods?: number;
    days?: number;
    payment_day?: number | null;
  },
): ScheduleRow[] {
  const moved = rows.filter((row) => row.period_number >= shift.from_number);
  const first = moved[0];
  if (first === undefined) return [];
  const byPeriods = dueDates(
    shift.frequency,
    first.due_date,
    moved.length + (shift.periods ?? 0),
    shift.payment_day,
  ).slice(shift.periods ?? 0);
  const dates = shift.days ? moved.map((row) => addDays(row.due_date, shift.days ?? 0)) : byPeriods;
  return redated(rows, moved, dates);
}

/**
 * Puts the due dates from a row on to another day of the month: the first new date is the first
 * such day after the old one, so that nobody is asked to pay earlier.
 */
export function changePaymentDay(
  rows: readonly ScheduleRow[],
  change: { from_number: number; frequency: PaymentFrequency; payment_day: number },
): ScheduleRow[] {
  const moved = rows.filter((row) => row.period_number >= change.from_number);
  const first = moved[0];
  if (first === undefined) return [];
  const sameMonth = addMonths(first.due_date, 0, change.payment_day);
  const start =
    sameMonth > first.due_date ? sameMonth : addMonths(first.due_date, 1, change.payment_day);
  return redated(rows, moved, dueDates(change.frequency, start, moved.length, change.payment_day));
}

/** The same rows on other days, with the days of their periods counted again. */
function redated(
  rows: readonly ScheduleRow[],
  moved: readonly ScheduleRow[],
  dates: readonly string[],
): ScheduleRow[] {
  const first = moved[0];
  const before = rows.findLast((row) => row.period_number < (first?.period_number ?? 0));
  const begin =
    before?.due_date ?? (first ? addDays(first.due_date, -first.days_in_period) : undefined);
  return moved.map((row, index) => {
    const due_date = dates[index] ?? row.due_date;
    const from = index === 0 ? (begin ?? due_date) : (dates[index - 1] ?? due_date);
    return { ...planned(row), due_date, days_in_period: daysBetween(from, due_date) };
  });
}

/** The number of the first instalment that is not paid and not due before a day. */
export function nextNumber(state: LoanState, date: string): number | null {
  const next = state.installments.find(
    (row) => row.status !== 'paid' && row.status !== 'canceled' && row.due_date >= date,
  );
  return next?.period_number ?? null;
}
