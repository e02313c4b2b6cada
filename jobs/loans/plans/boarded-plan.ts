import { money } from '../../money.ts';
import { buildSchedule, type ScheduleRow } from '../arithmetic/amortize.ts';
import { dueDates, numberOfPayments, onePeriodAfter } from '../arithmetic/due-dates.ts';
import { isBilledByCycle, type Terms } from '../arithmetic/terms.ts';

type Boarded = {
  principal_amount: string;
  origination_date: string;
  first_payment_date?: string | null | undefined;
  paid_through_date?: string | null | undefined;
  payment_amount?: string | null | undefined;
};

/**
 * The schedule of a loan that comes in mid-life. What was due to the paid-through date (or to the
 * boarding day) is history as the original plan had it; the rest is built from the balance that came
 * over, with the lender's instalment where it is known.
 */
export function boardedPlan(
  terms: Terms,
  boarded: Boarded,
  balance: string,
  today: string,
): ScheduleRow[] {
  if (isBilledByCycle(terms)) return [];
  const { payment_frequency: frequency, term_months, payment_day } = terms;
  const first =
    boarded.first_payment_date ??
    onePeriodAfter(frequency, boarded.origination_date, term_months, payment_day);
  const count = numberOfPayments(frequency, term_months);
  const dates = dueDates(frequency, first, count, payment_day);
  const paidThrough = boarded.paid_through_date ?? today;
  const past = dates.filter((due) => due <= paidThrough).length;
  const original = buildSchedule({
    ...terms,
    principal: boarded.principal_amount,
    number_of_payments: count,
    start_date: boarded.origination_date,
    first_payment_date: first,
    payment_amount: boarded.payment_amount ?? null,
  });
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
  return [...history, ...rest].map((row) => ({
    ...row,
    payment_amount: money(row.payment_amount),
  }));
}
