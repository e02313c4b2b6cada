import type { RawLoan } from '../../../sql/loans/loans.ts';
import { buildSchedule, type ScheduleRow } from '../arithmetic/amortize.ts';
import { firstPaymentDate, numberOfPayments } from '../arithmetic/due-dates.ts';
import { money, parseMoney } from '../../money.ts';
import { comeTo, fundingFees } from '../products/fee-amounts.ts';
import { withFees } from '../engine/spread-fees.ts';
import { termsOf } from '../products/terms-of.ts';

type Funding = { amount: string; on: string; first_payment_date?: string | null };

/** The schedule that a loan has when this amount goes out first, on this day, with its fees. */
export function planOf(loan: RawLoan, { amount, on, first_payment_date }: Funding): ScheduleRow[] {
  const terms = termsOf(loan);
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
  const fees = fundingFees(loan, { amount, isFirst: true });
  const rows = buildSchedule({
    principal: money(parseMoney(amount).plus(comeTo(fees, 'capitalized'))),
    interest_rate: terms.interest_rate,
    payment_frequency: terms.payment_frequency,
    number_of_payments: numberOfPayments(terms.payment_frequency, terms.term_months),
    start_date: on,
    first_payment_date: first,
    payment_day: terms.payment_day,
    amortization: terms.amortization,
    interest_method: terms.interest_method,
    day_count: terms.day_count,
    installment_calculation: terms.installment_calculation,
    installment_rounding: terms.installment_rounding,
    balloon_amount: terms.balloon_amount,
  });
  return withFees(rows, comeTo(fees, 'amortized'));
}
