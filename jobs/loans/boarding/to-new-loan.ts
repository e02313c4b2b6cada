import type { NewLoan } from '../origination/create.ts';
import type { Boarding } from './boarding-input.ts';

/** The columns that a boarded loan shares with a new one. */
export function toNewLoan(input: Boarding): NewLoan {
  const { borrower_id, program_id, product_id, principal_amount, interest_rate, term_months } =
    input;
  const own = { borrower_id, program_id, product_id, principal_amount, interest_rate, term_months };
  const { external_id, portfolio_id, metadata, first_payment_date } = input;
  const payment_day =
    input.payment_day ?? (first_payment_date ? Number(first_payment_date.slice(8)) : null);
  return {
    ...own,
    external_id,
    payment_day,
    loan_number: input.loan_number ?? undefined,
    portfolio_id,
    metadata,
    first_payment_date,
  };
}
