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
import {
  feesDue,
  finalPaymentAmount,
  nextBill,
  nextPayment,
  nextPaymentDate,
  openInstallments,
  pastDue,
} from './open-installments.ts';

const totalBalance = sql.fragment`record.principal_balance + owed.interest + record.outstanding_fees`;
const bucket = sql.fragment`app.bucket(late.days_past_due)`;

/** The columns that a loan shows. The daily snapshot reads more. */
const columnsWith = (investor: SqlFragment) => sql.fragment`
    record.id, record.loan_number, record.external_id, record.borrower_id,
           borrower.first_name || ' ' || borrower.last_name as borrower_name,
           record.program_id, record.product_id, record.portfolio_id,
           ${investor} as investor_id, record.loan_officer_id,
           record.status, record.sub_status, record.loan_type, record.principal_amount,
           record.disbursed_amount, record.principal_balance,
           owed.interest as accrued_interest, record.outstanding_fees,
           ${totalBalance} as total_balance,
           record.suspense_balance, record.charge_off_balance, record.deficiency_balance,
           trim_scale(record.interest_rate) as interest_rate, trim_scale(record.apr) as apr,
           trim_scale(record.accrual_rate) as current_rate,
           ${promoRateColumn} as promo_rate,
           ${promoEndDateColumn} as promo_end_date,
           record.day_count, record.interest_method, record.payment_frequency,
           record.payment_amount, record.payment_day, record.term_months,
           coalesce(record.original_term_months, record.term_months) as original_term_months,
           coalesce(upcoming.remaining, record.term_months) as remaining_term,
           record.expected_disbursement_date, record.first_payment_date,
           ${nextPaymentDate} as next_payment_date, ${nextPayment} as next_payment_amount,
           upcoming.remaining as payments_remaining, ${finalPaymentAmount} as final_payment_amount,
           record.last_payment_date, record.last_payment_amount, record.maturity_date,
           record.cycle_start_date, record.cycle_end_date, record.interest_free_balance,
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
           late.days_past_due >= (record.terms ->> 'default_dpd_threshold')::integer
             or (record.is_accelerated and record.status = 'active') as is_defaulted,
           late.days_past_due, ${bucket} as delinquency_bucket,
           coalesce(past_due.amount, 0.00) as past_due_amount,
           coalesce(past_due.principal, 0.00) as past_due_principal,
           coalesce(past_due.interest, 0.00) as past_due_interest,
           coalesce(past_due.fees, 0.00) as past_due_fees,
           coalesce(past_due.amount_30, 0.00) as past_due_30_amount,
           ${feesDue} as fees_due,
           coalesce(past_due.amount, 0.00) + coalesce(bill.amount, 0.00) + ${feesDue} as amount_due,
           record.times_delinquent_30, record.times_delinquent_60, record.times_delinquent_90,
           -- The close may already have aged the loan for the next morning, its first day of delinquency.
           case when record.status <> 'active' or late.days_past_due > 0
             then record.first_delinquency_date end as first_delinquency_date, line.credit_limit,
           line.credit_limit - least(record.principal_balance, line.credit_limit) as available_credit,
           record.paid_principal, record.paid_interest, record.paid_fees,
           record.labels, record.metadata, ${allowedActions} as allowed_actions,
           record.is_archived, record.created_at,
           record.updated_at
`;
type BalanceSource = {
  /** The loans' rows (`record`), with all columns of the table. */
  record: SqlFragment;
  /** The day as of which they are read. */
  day: SqlFragment;
  /** The interest balance on the day; negative if interest was paid ahead. */
  balance: SqlFragment;
  /** The oldest unpaid due date on the day, if `owed.interest` is the interest owed. */
  since: SqlFragment;
  /** The amount that would repay the loan on a future day. */
  outlook: (day: SqlFragment) => SqlFragment;
};

const joinAmountsOwed = ({ day, balance }: BalanceSource) => sql.fragment`
    cross join (select ${day} as day offset 0) as today
    cross join lateral (
      select greatest(interest.balance, 0.00) as interest,
             greatest(record.principal_balance + record.outstanding_fees + interest.balance, 0.00) as repayment
      from (select ${balance} as balance offset 0) as interest
      offset 0
    ) as owed
`;

/** Adds the oldest unpaid due date (`due`) and the days past due (`late`). */
const joinDelinquency = (read: BalanceSource) => sql.fragment`
    ${joinAmountsOwed(read)}
    cross join lateral (select ${read.since} as since offset 0) as due
    cross join lateral (
      select app.days_past_due(
        case when owed.repayment > 0 then due.since end, today.day, record.delinquency_pauses, record.delinquency_grace_days
      ) as days_past_due
      offset 0
    ) as late
`;

const sourceOf = (read: BalanceSource) => sql.fragment`
    from ${read.record} as record
    -- A left join, so that Postgres skips it when no column of the borrower is selected.
    left join borrowers as borrower on borrower.id = record.borrower_id
    ${joinDelinquency(read)}
    -- Without a credit limit, the approved amount is the limit.
    cross join lateral (
      select case when record.loan_type = 'line_of_credit'
        then coalesce(record.credit_limit, record.principal_amount) end as credit_limit
    ) as line
    left join lateral ${openInstallments} as upcoming on record.schedule_version > 0
    left join lateral ${pastDue} as past_due on true
    left join lateral ${nextBill(read.outlook)} as bill on true
`;

export const loanColumns = columnsWith(investorColumn);

const ONE: BalanceSource = {
  record: sql.fragment`loans`,
  day: sql.fragment`app.business_date()`,
  balance: sql.fragment`app.interest_balance(record, today.day)`,
  since: sql.fragment`app.unpaid_since(record, today.day, owed.interest)`,
  outlook: (day) => sql.fragment`app.repayment_outlook(record, ${day})`,
};
export const loanSource = sourceOf(ONE);

/** Fields that follow from a loan's delinquency alone, for lists that filter all loans by them. */
export const derivedLoanFields = {
  fields: ['accrued_interest', 'total_balance', 'days_past_due', 'delinquency_bucket'],
  /** Selects these fields and the loan's own columns. */
  rows: (own: readonly string[]) => sql.fragment`
    select ${sql.join(
      own.map((column) => sql.identifier(['record', column])),
      sql.fragment`, `,
    )},
      owed.interest as accrued_interest, ${totalBalance} as total_balance,
      late.days_past_due, ${bucket} as delinquency_bucket
    from loans as record ${joinAmountsOwed(ONE)}
    -- The exact delinquency is computed only for loans that may be late.
    cross join lateral (
      select case
        when record.status = 'active' and coalesce(record.oldest_unpaid_due_date, record.maturity_date) < today.day
          then (select late.days_past_due from (values (1)) as always ${joinDelinquency(ONE)})
        else 0
      end as days_past_due
      offset 0
    ) as late
  `,
};

/** The columns of many loans, read from `loanSourceForMany`. */
export const loanColumnsForMany = columnsWith(investorColumnOfMany);

/**
 * The source for many loans on a day. Functions that take a whole loan row are called where the row is
 * read, because elsewhere Postgres extracts each column again. All other functions take columns. `more`
 * adds expressions that are computed where the row is read, with each loan's interest earned by the day
 * (`earned`).
 */
export const loanSourceForMany = (
  day: string,
  among: LoanIdCondition,
  { where, more }: { where: SqlFragment; more: SqlFragment },
) => sql.fragment`
  ${sourceOf({
    record: sql.fragment`(
      select record.*, app.accrued_cents(record, ${day}::date) as earned, ${more}
      from loans as record
      where ${among(sql.fragment`record.id`)} and ${where}
      offset 0
    )`,
    day: sql.fragment`${day}::date`,
    balance: sql.fragment`record.earned - record.interest_settled`,
    since: sql.fragment`app.unpaid_since(
      record.status, record.principal_balance + owed.interest + record.outstanding_fees,
      record.oldest_unpaid_due_date, record.maturity_date, today.day
    )`,
    outlook: (then) => sql.fragment`app.repayment_outlook(
      record.principal_balance + record.outstanding_fees, record.accrual_until, record.interest_outlook,
      app.accrued_cents(
        record.interest_accrued, record.is_accruing, record.accrual_since, record.accrual_balance,
        record.accrual_rate, record.accrual_period_days, record.accrual_period_interest,
        record.day_count, record.rounding_mode, ${then}
      ) - record.interest_settled,
      ${then}
    )`,
  })}
  ${ownersJoin(among)}
`;
