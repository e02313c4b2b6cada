import { sql } from '../database/db.ts';

/** The figures of a statement, as parts of the row that bills it. */

export const recipientFigures = sql.fragment`jsonb_build_object(
  'recipient', jsonb_build_object(
    'name', borrower.first_name || ' ' || borrower.last_name,
    'address_lines', coalesce(estate.lines, address.lines, '[]'),
    'postal_code', case when estate.name is null then address.postal_code else estate.postal_code end,
    'country', case when estate.name is null then address.country else estate.country end,
    'estate_representative', estate.name
  ),
  'loan_number', row.loan_number, 'addressee_id', borrower.id
)`;

export const summaryFigures = sql.fragment`jsonb_build_object(
  'previous_balance', moved.previous_balance::text, 'payments', moved.payments::text,
  'credits', credits.amount::text, 'disbursements', moved.disbursed::text,
  'interest', moved.interest::text, 'fees', moved.fees::text,
  'new_balance', balance.owed::text
)`;

export const loanFigures = sql.fragment`jsonb_build_object(
  'product_name', coalesce(product.public_name, product.name), 'interest_rate', row.current_rate::text,
  'principal_balance', (row.principal_balance + row.charge_off_balance)::text,
  'accrued_interest', row.accrued_interest::text,
  'outstanding_fees', row.outstanding_fees::text, 'maturity_date', row.maturity_date,
  'remaining_payments', row.remaining_term
)`;

export const yearToDateFigures = sql.fragment`(
  select jsonb_build_object(
    'year', extract(year from today.day - 1)::text,
    'principal', coalesce(sum(principal_applied), 0.00)::text,
    'interest', coalesce(sum(interest_applied), 0.00)::text,
    'fees', coalesce(sum(fees_applied), 0.00)::text,
    'total', coalesce(sum(principal_applied + interest_applied + fees_applied), 0.00)::text
  )
  from (
    select principal_applied, interest_applied, fees_applied, effective_date from payments
    where loan_id = loan.id and posted_at is not null and reversed_at is null
    union all
    select principal_applied, interest_applied, fees_applied, effective_date
    from suspense_applications where loan_id = loan.id and status = 'applied'
    union all
    select applied_principal + recovered, applied_interest, applied_fees, sale_date
    from liquidations where loan_id = loan.id and status = 'applied'
  ) as paid
  where effective_date >= date_trunc('year', today.day - 1) and effective_date < today.day
)`;
