import type { Big } from 'big.js';
import { money } from '../../money.ts';
import { buildSchedule, type ScheduleRow } from '../arithmetic/amortize.ts';
import { firstPaymentDate, numberOfPayments } from '../arithmetic/due-dates.ts';
import { isBilledByCycle, type Terms } from '../arithmetic/terms.ts';
import { withFees } from './spread-fees.ts';
import type { LoanTerms } from '../products/loan-terms.ts';

type FirstFunding = {
  /** The disbursed amount plus capitalized fees. */
  principal: Big;
  on: string;
  first_payment_date: string | null;
  /** Fees spread over the installments. */
  spread_fees: Big;
};

/** The schedule of a loan that is first funded on this day. Empty for a line billed by cycle. */
export function firstSchedule(
  terms: Terms & LoanTerms,
  { principal, on, first_payment_date, spread_fees }: FirstFunding,
): ScheduleRow[] {
  if (isBilledByCycle(terms)) return [];
  const first =
    first_payment_date ??
    firstPaymentDate({
      rule: terms.first_payment_rule,
      frequency: terms.payment_frequency,
      disbursed_on: on,
      payment_day: terms.payment_day,
      min_days: terms.min_days_to_first_payment,
      term_months: terms.term_months,
    });
  const rows = buildSchedule({
    ...terms,
    principal: money(principal),
    number_of_payments: numberOfPayments(terms.payment_frequency, terms.term_months),
    start_date: on,
    first_payment_date: first,
  });
  return withFees(rows, spread_fees);
}
