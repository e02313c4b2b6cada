import { completeTerms } from '../../jobs/loans/arithmetic/terms.ts';
import type { LoanEvent } from '../../jobs/loans/engine/events.ts';
import type { BookLoan } from '../../jobs/books/conventions/book-loan.ts';
import type { Conventions } from '../../jobs/books/conventions/conventions.ts';
import type { LegacyLoan } from './legacy-system.ts';

/** The product's usual conventions, before anything is known about the legacy system. */
export const USUAL: Conventions = {
  interest_method: 'simple_daily',
  day_count: 'actual_365',
  interest_rounding: 'half_up',
  application_order: 'standard',
  extra_payment_to: 'principal',
  installment: 'as_given',
  payment_lag_days: 0,
  late_fees: 'as_recorded',
  interest_through: 'day_before',
};

/** A loan of the legacy system as its files describe it. */
export function toBookLoan(loan: LegacyLoan): BookLoan {
  const { loan_number, interest_rate, term_months, payment_day, origination_date } = loan;
  const { principal_amount, first_payment_date, payment_amount } = loan;
  return {
    loan_number,
    terms: completeTerms({ interest_rate, term_months, payment_day }),
    contract: { principal_amount, origination_date, first_payment_date, payment_amount },
    start: {
      id: '0000',
      kind: 'boarding',
      effective_date: origination_date,
      principal_balance: principal_amount,
      paid_through_date: origination_date,
    },
    events: loan.history.map(
      ({ transaction_id: id, date: effective_date, type, amount }): LoanEvent =>
        type === 'payment'
          ? { id, kind: 'payment', effective_date, amount }
          : { id, kind: 'fee', effective_date, amount, fee_type: 'late' },
    ),
    schedule: null,
  };
}
