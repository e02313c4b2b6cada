import { isBusinessDay, nextBusinessDay } from '../../../banks/bank-calendar.ts';
import { addDays, addMonths, latest, dateInMonth, dateParts } from '../../../dates.ts';
import { parseMoney } from '../../../money.ts';
import { onePeriodAfter } from '../../arithmetic/due-dates.ts';
import type { PaymentFrequency } from '../../arithmetic/terms.ts';
import type { LoanState } from '../../engine/state.ts';

export type AutopayCalendar = {
  frequency: string;
  day_of_month: number | null;
  days_before_due: number;
  start_date: string;
  end_date: string | null;
  /** Due dates up to this one have been processed. */
  drawn_through: string;
};
type Owing = Pick<LoanState, 'total_balance' | 'is_accelerated' | 'maturity_date'> & {
  installments: readonly { due_date: string; status: string }[];
};

/** The next due date to draw for. Null if the autopay plan or the debt has ended. */
export function nextAutopayDueDate(plan: AutopayCalendar, loan: Owing): string | null {
  const next =
    plan.frequency === 'on_due_date'
      ? nextInstallment(plan, loan)
      : nextAutopayDateAfter(plan, plan.drawn_through);
  return next === null || hasAutopayEnded(plan, next) ? null : next;
}

export const hasAutopayEnded = (
  { end_date }: Pick<AutopayCalendar, 'end_date'>,
  date: string,
): boolean => end_date !== null && date > end_date;

/**
 * Paid installments keep their date; the draw is skipped on that day. If the loan still owes money after
 * its last installment, autopay draws every month until it does not.
 */
function nextInstallment(
  { drawn_through, start_date }: AutopayCalendar,
  loan: Owing,
): string | null {
  const isAhead = (due: string) => due > drawn_through && due >= start_date;
  const dates = loan.installments
    .filter(({ status }) => status !== 'canceled')
    .map(({ due_date }) => due_date)
    .toSorted();
  const next = dates.find(isAhead);
  const last = dates.at(-1);
  if (next !== undefined || last === undefined) return next ?? null;
  // A line billed by cycle draws again with its next minimum payment.
  if (loan.maturity_date === null || loan.is_accelerated || parseMoney(loan.total_balance).eq(0))
    return null;
  for (let months = 1; ; months += 1) {
    const due = monthsAfter(last, months);
    if (isBeyondDates(due)) return null;
    if (isAhead(due)) return due;
  }
}

/** Dates have four digits for the year, and compare as texts. */
const isBeyondDates = (date: string): boolean => date[4] !== '-';

const monthsAfter = (date: string, months: number) => addMonths(date, months, dateParts(date).day);

/** The first date after `after` in the autopay plan's own frequency. Null if there is none. */
export function nextAutopayDateAfter(plan: AutopayCalendar, after: string): string | null {
  const frequency = plan.frequency as PaymentFrequency;
  const day = plan.day_of_month ?? dateParts(plan.start_date).day;
  let date = firstOccurrence(plan, day);
  while (date <= after && !isBeyondDates(date)) date = onePeriodAfter(frequency, date, 1, day);
  return isBeyondDates(date) ? null : date;
}

function firstOccurrence({ frequency, start_date }: AutopayCalendar, day: number): string {
  if (frequency === 'semi_monthly')
    return onePeriodAfter('semi_monthly', addDays(start_date, -1), 1, day);
  if (frequency !== 'monthly') return start_date;
  const { year, month } = dateParts(start_date);
  const first = dateInMonth(year, month, day);
  return first >= start_date ? first : addMonths(first, 1, day);
}

/**
 * The business day of a draw: `days_before_due` days before the due date, moved to the next business day.
 */
export function autopayRunDate(
  { frequency, days_before_due }: AutopayCalendar,
  dueDate: string,
): string {
  const before = frequency === 'on_due_date' ? days_before_due : 0;
  return nextBusinessDay(addDays(dueDate, -before));
}

/** Draws run on business days only. A missed draw runs on the next one. */
export const canRunOn = (today: string, runDate: string): boolean =>
  runDate <= today && isBusinessDay(today);

/** The run date to display. It is never in the past. */
export const displayedRunDate = (today: string, runDate: string): string =>
  latest(runDate, nextBusinessDay(today));
