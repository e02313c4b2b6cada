import { buildSchedule, type ScheduleRow } from '../arithmetic/amortize.ts';
import { dueDates, numberOfPayments, onePeriodAfter } from '../arithmetic/due-dates.ts';
import { isBilledByCycle, type Terms } from '../arithmetic/terms.ts';

export type Boarded = {
  principal_amount: string;
  origination_date: string;
  first_payment_date?: string | null | undefined;
  paid_through_date?: string | null | undefined;
  payment_amount?: string | null | undefined;
};

const firstOf = (terms: Terms, { first_payment_date, origination_date }: Boarded) =>
  first_payment_date ??
  onePeriodAfter(terms.payment_frequency, origination_date, terms.term_months, terms.payment_day);

/** The schedule that the loan began with, with the lender's instalment where it is known. */
export const originalSchedule = (terms: Terms, boarded: Boarded): ScheduleRow[] =>
  buildSchedule({
    ...terms,
    principal: boarded.principal_amount,
    number_of_payments: numberOfPayments(terms.payment_frequency, terms.term_months),
    start_date: boarded.origination_date,
    first_payment_date: firstOf(terms, boarded),
    payment_amount: boarded.payment_amount ?? null,
  });

/**
 * The schedule of a loan that comes in mid-life. What was due to the paid-through date (or to the
 * boarding day) is history as the original plan had it; the rest is built from the balance that came
 * over, with the lender's instalment where it is known.
 */
export function boardedSchedule(
  terms: Terms,
  boarded: Boarded,
  original: readonly ScheduleRow[],
  { balance, today }: { balance: string; today: string },
): ScheduleRow[] {
  if (isBilledByCycle(terms)) return [];
  const { payment_frequency: frequency, term_months, payment_day } = terms;
  const count = numberOfPayments(frequency, term_months);
  const dates = dueDates(frequency, firstOf(terms, boarded), count, payment_day);
  const paidThrough = boarded.paid_through_date ?? today;
  const past = dates.filter((due) => due <= paidThrough).length;
  const history = original.slice(0, past);
  const left = Math.max(1, count - past);
  const next = dates[past] ?? onePeriodAfter(frequency, paidThrough, term_months, payment_day);
  const rest = buildSchedule({
    ...terms,
    principal: balance,
    number_of_payments: left,
    start_date: dates[past - 1] ?? boarded.origination_date,
    first_payment_date: next,
    payment_amount: boarded.payment_amount ?? original[0]?.payment_amount ?? null,
    first_period_number: past + 1,
  });
  return [...history, ...rest];
}
