import { addDays, addMonths, daysBetween, dateInMonth, dateParts } from '../../dates.ts';
import type { FirstPaymentRule, PaymentFrequency } from './terms.ts';

const PAYMENTS_PER_YEAR = {
  monthly: 12,
  quarterly: 4,
  semi_monthly: 24,
  biweekly: 26,
  weekly: 52,
} as const;

/** The number of installments in a term. A part of a period counts as a whole one. */
export function numberOfPayments(frequency: PaymentFrequency, termMonths: number): number {
  if (frequency === 'single') return 1;
  return Math.ceil((termMonths * PAYMENTS_PER_YEAR[frequency]) / 12);
}

export function paymentsPerYear(frequency: Exclude<PaymentFrequency, 'single'>): number {
  return PAYMENTS_PER_YEAR[frequency];
}

/**
 * All due dates. Each is computed from the first date and the intended day, so a short month does not move
 * later dates.
 */
export function dueDates(
  frequency: PaymentFrequency,
  first: string,
  count: number,
  intendedDay?: number | null,
): string[] {
  const day = intendedDay ?? dateParts(first).day;
  return Array.from({ length: count }, (_, index) =>
    index === 0 ? first : dueDate(frequency, first, index, day),
  );
}

function dueDate(frequency: PaymentFrequency, first: string, index: number, day: number): string {
  if (frequency === 'weekly') return addDays(first, index * 7);
  if (frequency === 'biweekly') return addDays(first, index * 14);
  if (frequency === 'quarterly') return addMonths(first, index * 3, day);
  if (frequency === 'semi_monthly') return semiMonthlyDueDate(first, index, day);
  return addMonths(first, index, day);
}

/** Two days a month, half a month apart: 1 and 16, 10 and 25, 15 and the last day. */
function semiMonthlyDueDate(first: string, index: number, day: number): string {
  const [early, late] = semiMonthlyDays(day);
  const { year, month, day: firstDay } = dateParts(first);
  const half = (firstDay > 15 ? 1 : 0) + index;
  const months = year * 12 + (month - 1) + Math.floor(half / 2);
  const date = half % 2 === 0 ? early : late;
  return dateInMonth(Math.floor(months / 12), (months % 12) + 1, date);
}

function semiMonthlyDays(day: number): [number, number] {
  if (day > 15) return [Math.min(day - 15, 15), day];
  return [day, day === 15 ? 31 : day + 15];
}

/** The first of the two days that is after `date`. */
function nextSemiMonthlyDate(date: string, day: number): string {
  const { year, month } = dateParts(date);
  const [early, late] = semiMonthlyDays(day);
  const candidates = [dateInMonth(year, month, early), dateInMonth(year, month, late)];
  return candidates.find((candidate) => candidate > date) ?? addMonths(date, 1, early);
}

/** The date one period later. Used as the first payment date if none was agreed. */
export function onePeriodAfter(
  frequency: PaymentFrequency,
  date: string,
  termMonths: number,
  day?: number | null,
): string {
  if (frequency === 'single') return addMonths(date, termMonths, day ?? undefined);
  if (frequency === 'weekly') return addDays(date, 7);
  if (frequency === 'biweekly') return addDays(date, 14);
  if (frequency === 'semi_monthly') return nextSemiMonthlyDate(date, day ?? dateParts(date).day);
  return addMonths(date, frequency === 'quarterly' ? 3 : 1, day ?? undefined);
}

/**
 * The first due date after a disbursement, by the product's rule: 30 days later, or the first payment day
 * that leaves the minimum number of days. One period later if no payment day was agreed.
 */
export function firstPaymentDate(input: {
  rule: FirstPaymentRule;
  frequency: PaymentFrequency;
  disbursed_on: string;
  payment_day: number | null;
  min_days: number;
  term_months: number;
}): string {
  if (input.rule === '30_days_after') return addDays(input.disbursed_on, 30);
  const { frequency, disbursed_on, payment_day } = input;
  if (payment_day === null || !['monthly', 'quarterly'].includes(frequency)) {
    return onePeriodAfter(frequency, disbursed_on, input.term_months, payment_day);
  }
  let months = 0;
  for (;;) {
    const candidate = addMonths(disbursed_on, months, payment_day);
    if (daysBetween(disbursed_on, candidate) >= Math.max(1, input.min_days)) return candidate;
    months += 1;
  }
}

/**
 * A first payment more than 40 years ahead is a typing error, and its schedule would exceed the calendar.
 */
export const isFirstPaymentTooLate = (firstPayment: string, from: string): boolean =>
  firstPayment > addMonths(from, 480);
