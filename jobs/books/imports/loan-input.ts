import type { Boarding } from '../../loans/boarding/boarding-input.ts';
import type { LoanRow } from './book-rows.ts';

export type ParentIds = Pick<Boarding, 'borrower_id' | 'program_id' | 'product_id'>;

/** A row of `loans.csv` as the input of `boardLoan`. */
export function toBoarding(row: LoanRow, parents: ParentIds): Boarding {
  const { purpose, source_status, paid_total, paid_principal, paid_interest, paid_late_fees } = row;
  const history = { paid_total, paid_principal, paid_interest, paid_late_fees };
  return {
    ...parents,
    loan_number: row.loan_number,
    principal_amount: row.principal_amount,
    current_principal_balance: row.current_principal_balance,
    interest_rate: row.interest_rate,
    term_months: row.term_months,
    origination_date: row.origination_date,
    first_payment_date: row.first_payment_date,
    status: row.status,
    accrued_interest: row.accrued_interest,
    outstanding_fees: row.outstanding_fees,
    paid_through_date: row.paid_through_date,
    payment_amount: row.payment_amount,
    has_balloon: row.has_balloon ?? false,
    charge_off_date: row.charge_off_date,
    charge_off_amount: row.charge_off_amount,
    first_delinquency_date: row.first_delinquency_date,
    metadata: {
      ...(purpose && { purpose }),
      tape: { source_status: source_status ?? null, ...history },
    },
  };
}
