import { addDays } from '../../dates.ts';
import { dueDates, numberOfPayments, onePeriodAfter } from '../arithmetic/due-dates.ts';
import { isBilledByCycle, type Terms } from '../arithmetic/terms.ts';

export type PaidLoan = {
  origination_date: string;
  first_payment_date?: string | null | undefined;
  paid_through_date?: string | null | undefined;
  next_due_date?: string | null | undefined;
};

/** All due dates as agreed at the origination, without building the schedule. */
export function agreedDueDates(loan: PaidLoan, terms: Terms): string[] {
  const { payment_frequency: frequency, term_months, payment_day } = terms;
  const first =
    loan.first_payment_date ??
    onePeriodAfter(frequency, loan.origination_date, term_months, payment_day);
  return dueDates(frequency, first, numberOfPayments(frequency, term_months), payment_day);
}

/**
 * The last due date that is paid in full: as stated, or the one before `next_due_date`, because many systems only know the
 * first date that is not paid. Undefined if neither is stated.
 */
export function paidThroughDate(loan: PaidLoan, terms: Terms): string | undefined {
  const { paid_through_date, next_due_date: next } = loan;
  if (paid_through_date || !next) return paid_through_date ?? undefined;
  if (isBilledByCycle(terms)) return addDays(next, -1);
  return agreedDueDates(loan, terms).findLast((due) => due < next) ?? loan.origination_date;
}
