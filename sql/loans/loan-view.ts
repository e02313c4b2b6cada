import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { sql } from '../database/db.ts';
import { allowedActions } from './actions.ts';
import {
  investorColumnOfMany,
  investorColumn,
  netChargeOffColumn,
  ownersJoin,
  promoEndDateColumn,
  promoRateColumn,
  type LoanIdCondition,
} from './loan-facts.ts';
import { amountOn, bucketColumn, daysPastDueOn, joinOutlook } from './outlook.ts';

const DAY = sql.fragment`today.day`;
const amount = (name: Parameters<typeof amountOn>[0]) =>
  sql.fragment`coalesce(${amountOn(name)}, 0.00)`;
const totalBalance = sql.fragment`record.principal_balance + ${amount('accrued_interest')} + record.outstanding_fees`;
const daysPastDue = daysPastDueOn(DAY);

/** The columns that a loan shows. The daily snapshot reads more. */
const columnsWith = (investor: SqlFragment) => sql.fragment`
    record.id, record.loan_number, record.external_id, record.borrower_id,
           borrower.first_name || ' ' || borrower.last_name as borrower_name,
           record.program_id, record.product_id, record.portfolio_id,
           ${investor} as investor_id, record.loan_officer_id,
           record.status, record.sub_status, record.loan_type, record.principal_amount,
           record.disbursed_amount, record.principal_balance,
           ${amount('accrued_interest')} as accrued_interest, record.outstanding_fees,
           ${totalBalance} as total_balance,
           record.suspense_balance, record.charge_off_balance, record.deficiency_balance,
           trim_scale(record.interest_rate) as interest_rate, trim_scale(record.apr) as apr,
           trim_scale(coalesce(ahead.current_rate, 0::numeric)) as current_rate,
           ${promoRateColumn} as promo_rate,
           ${promoEndDateColumn} as promo_end_date,
           record.day_count, record.interest_method, record.payment_frequency,
           record.payment_amount, record.payment_day, record.term_months,
           coalesce(record.original_term_months, record.term_months) as original_term_months,
           coalesce(ahead.payments_remaining, record.term_months) as remaining_term,
           record.expected_disbursement_date, record.first_payment_date,
           ahead.next_payment_date, ${amount('next_payment_amount')} as next_payment_amount,
           ahead.payments_remaining, ${amountOn('final_payment_amount')} as final_payment_amount,
           record.last_payment_date, record.last_payment_amount, record.maturity_date,
           record.cycle_start_date, record.cycle_end_date,
           coalesce(ahead.interest_free_balance, record.interest_free_balance) as interest_free_balance,
           record.origination_date, record.disbursement_date, record.approved_at,
           record.approved_by, record.denied_at, record.denial_reasons, record.canceled_at,
           record.cancel_reason, record.paid_off_at, record.charged_off_at,
           record.charge_off_reason, record.charge_off_amount, record.recovered_amount,
           ${netChargeOffColumn} as net_charge_off, record.is_frozen, record.frozen_at,
           record.freeze_reason, record.freeze_until, record.is_accelerated, record.accelerated_at,
           record.is_non_accrual, record.non_accrual_since,
           exists (
             select from collateral_items as item
             where item.loan_id = record.id and not item.is_archived and item.status = 'active'
           ) as is_secured,
           ${daysPastDue} >= (record.terms ->> 'default_dpd_threshold')::integer
             or (record.is_accelerated and record.status = 'active') as is_defaulted,
           ${daysPastDue} as days_past_due, ${bucketColumn} as delinquency_bucket,
           ${amount('past_due_amount')} as past_due_amount,
           ${amount('past_due_principal')} as past_due_principal,
           ${amount('past_due_interest')} as past_due_interest,
           ${amount('past_due_amount')} - ${amount('past_due_principal')} - ${amount('past_due_interest')}
             as past_due_fees,
           ${amount('past_due_30_amount')} as past_due_30_amount,
           ${amount('fees_due')} as fees_due, ${amount('amount_due')} as amount_due,
           record.times_delinquent_30, record.times_delinquent_60, record.times_delinquent_90,
           case when record.status = 'active' then ahead.first_delinquency_date
             else record.first_delinquency_date end as first_delinquency_date,
           record.boarded_delinquency_date, line.credit_limit,
           line.credit_limit - least(record.principal_balance, line.credit_limit) as available_credit,
           record.paid_principal, record.paid_interest, record.paid_fees,
           record.labels, record.metadata, ${allowedActions} as allowed_actions,
           record.is_archived, record.created_at,
           record.updated_at
`;
type Source = {
  /** The loans' rows (`record`), with all columns of the table. */
  record: SqlFragment;
  /** The day as of which they are read. */
  day: SqlFragment;
  /** The day as a value, so that Postgres limits the rows of the outlook before the join. */
  given?: SqlFragment;
  among?: LoanIdCondition;
};

const sourceOf = ({ record, day, given, among }: Source) => sql.fragment`
    from ${record} as record
    -- A left join, so that Postgres skips it when no column of the borrower is selected.
    left join borrowers as borrower on borrower.id = record.borrower_id
    cross join (select ${day} as day offset 0) as today
    ${joinOutlook(given ?? DAY, among ? { among } : {})}
    -- Without a credit limit, the approved amount is the limit.
    cross join lateral (
      select case when record.loan_type = 'line_of_credit'
        then coalesce(record.credit_limit, record.principal_amount) end as credit_limit
    ) as line
`;

export const loanColumns = columnsWith(investorColumn);

const ONE: Source = {
  record: sql.fragment`loans`,
  day: sql.fragment`app.business_date()`,
};
export const loanSource = sourceOf(ONE);

/** The columns of many loans, read from `loanSourceForMany`. */
export const loanColumnsForMany = columnsWith(investorColumnOfMany);

/** The source for many loans on a day. */
export const loanSourceForMany = (
  day: string,
  among: LoanIdCondition,
  { where }: { where: SqlFragment },
) => sql.fragment`
  ${sourceOf({
    record: sql.fragment`(
      select record.* from loans as record where ${among(sql.fragment`record.id`)} and ${where}
    )`,
    day: sql.fragment`${day}::date`,
    given: sql.fragment`${day}::date`,
    among,
  })}
  ${ownersJoin(among)}
`;
