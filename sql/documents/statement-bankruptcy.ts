import { isInForce } from '../cases/conditions.ts';
import { sql } from '../database/db.ts';
import { conditionsOfLoans, statementConditionsJson } from '../loans/legal-conditions.ts';

const LOAN_ID = sql.fragment`loan.id`;
/** Those who borrowed, under a stay of chapter 12 or 13 on the day of the statement. */
const repaymentPlans = sql.fragment`
  select held.borrower_id, held.case_id from ${conditionsOfLoans} as held
  where held.loan_id = loan.id and held.role in ('borrower', 'co_borrower')
    and held.condition in ('stay_12', 'stay_13') and ${isInForce(sql.fragment`held`, sql.fragment`today.day`)}`;

/** The legal conditions of a loan, from which the form of its statement follows. Null if there are none. */
export const legalFigures = statementConditionsJson(LOAN_ID, sql.fragment`borrower.id`);

/** Whether the person whom the statement addresses is in bankruptcy or was discharged. */
export const isAddresseeDebtor = sql.fragment`exists (
  select from ${conditionsOfLoans} as held
  where held.loan_id = loan.id and held.borrower_id = borrower.id
    and held.condition ~ '^(stay|discharged)_' and ${isInForce(sql.fragment`held`, sql.fragment`today.day`)}
)`;

/**
 * What was due before the petition of a repayment plan (chapter 12 or 13), by the order of the contract: each payment
 * pays the oldest installment. Null if there is no such petition. `arrears_at_petition` is null if the loan was boarded
 * later. Fees are those charged before the petition.
 */
export const planFigures = sql.fragment`(
  select jsonb_build_object(
    'petition_date', petition.day,
    'arrears_at_petition', (
      select (night.past_due_amount + night.outstanding_fees)::text from loan_snapshots as night
      where night.snapshot_date = petition.day - 1 and night.loan_id = loan.id
    ),
    'arrears', (
      select coalesce(sum(payment_amount - paid_amount), 0.00)::text from installments
      where loan_id = loan.id and version = loan.schedule_version and due_date < petition.day
        and not is_canceled and paid_amount < payment_amount
    ),
    'arrears_fees', (
      select coalesce(sum(amount - amount_paid - amount_waived), 0.00)::text from fees
      where loan_id = loan.id and status <> 'reversed' and assessed_date < petition.day
    ),
    'late_since', (
      select min(due_date) from installments
      where loan_id = loan.id and version = loan.schedule_version
        and due_date >= petition.day and due_date < today.day
        and not is_canceled and paid_amount < payment_amount
    ),
    'paid', (
      select coalesce(sum(principal_applied + interest_applied + fees_applied), 0.00)::text from payments
      where loan_id = loan.id and posted_at is not null and reversed_at is null
        and effective_date >= petition.day
    ),
    'next', (
      select jsonb_build_object('principal', principal_amount::text, 'interest', interest_amount::text)
      from installments
      where loan_id = loan.id and version = loan.schedule_version and due_date = row.next_payment_date
        and not is_canceled
      order by period_number limit 1
    ),
    'previous_arrears', (
      select coalesce((previous.plan ->> 'arrears')::numeric + (previous.plan ->> 'arrears_fees')::numeric, null)::text
      where previous.plan ->> 'petition_date' = petition.day::text
    )
  )
  from (
    select min(stay.from_date) as day from legal_conditions as stay
    where stay.condition like 'stay\\_%' and stay.case_id in (select case_id from (${repaymentPlans}) as debtor)
  ) as petition
  where petition.day is not null
)`;
