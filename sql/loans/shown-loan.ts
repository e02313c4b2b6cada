import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { sql } from '../database/db.ts';
import { allowedActions } from './actions.ts';
import { investorOf, netChargeOffOf, promoEndDateOf, promoRateOf } from './loan-facts.ts';
import {
  feesDue,
  finalPayment,
  nextBill,
  nextPayment,
  nextPaymentDate,
  openPlan,
  pastDue,
} from './open-plan.ts';

/** What a loan shows, and where it is read; the snapshot of a day reads it with more. */
export const columns = sql.fragment`
    record.id, record.loan_number, record.external_id, record.borrower_id,
           borrower.first_name || ' ' || borrower.last_name as borrower_name,
           record.program_id, record.product_id, record.portfolio_id,
           ${investorOf} as investor_id, record.loan_officer_id,
           record.status, record.sub_status, record.loan_type, record.principal_amount,
           record.disbursed_amount, record.principal_balance,
           owed.interest as accrued_interest, record.outstanding_fees,
           record.principal_balance + owed.interest + record.outstanding_fees as total_balance,
           record.suspense_balance, record.charge_off_balance, record.deficiency_balance,
           trim_scale(record.interest_rate) as interest_rate, trim_scale(record.apr) as apr,
           trim_scale(record.accrual_rate) as current_rate,
           ${promoRateOf} as promo_rate,
           ${promoEndDateOf} as promo_end_date,
           record.day_count, record.interest_method, record.payment_frequency,
           record.payment_amount, record.payment_day, record.term_months,
           coalesce(plan.remaining, record.term_months) as remaining_term,
           record.expected_disbursement_date, record.first_payment_date,
           ${nextPaymentDate} as next_payment_date, ${nextPayment} as next_payment_amount,
           plan.remaining as payments_remaining, ${finalPayment} as final_payment_amount,
           record.last_payment_date, record.last_payment_amount, record.maturity_date,
           record.cycle_start_date, record.cycle_end_date, record.interest_free_balance,
           record.origination_date, record.disbursement_date, record.approved_at,
           record.approved_by, record.denied_at, record.denial_reasons, record.canceled_at,
           record.cancel_reason, record.paid_off_at, record.charged_off_at,
           record.charge_off_reason, record.charge_off_amount, record.recovered_amount,
           ${netChargeOffOf} as net_charge_off, record.is_frozen, record.frozen_at,
           record.freeze_reason, record.freeze_until, record.is_accelerated, record.accelerated_at,
           record.is_non_accrual, record.non_accrual_since,
           exists (
             select from collateral_items as item
             where item.loan_id = record.id and not item.is_archived and item.status = 'active'
           ) as is_secured,
           late.days_past_due >= (record.terms ->> 'default_dpd_threshold')::integer
             or (record.is_accelerated and record.status = 'active') as is_defaulted,
           late.days_past_due, app.bucket(late.days_past_due) as delinquency_bucket,
           coalesce(behind.amount, 0.00) as past_due_amount,
           coalesce(behind.principal, 0.00) as past_due_principal,
           coalesce(behind.interest, 0.00) as past_due_interest,
           coalesce(behind.fees, 0.00) as past_due_fees,
           coalesce(behind.amount_30, 0.00) as past_due_30_amount,
           ${feesDue} as fees_due,
           coalesce(behind.amount, 0.00) + coalesce(bill.amount, 0.00) + ${feesDue} as amount_due,
           record.times_delinquent_30, record.times_delinquent_60, record.times_delinquent_90,
           -- A loan may be aged for the morning already, on which it is late for the first time.
           case when record.status <> 'active' or late.days_past_due > 0
             then record.first_delinquency_date end as first_delinquency_date, line.credit_limit,
           line.credit_limit - least(record.principal_balance, line.credit_limit) as available_credit,
           record.paid_principal, record.paid_interest, record.paid_fees,
           record.labels, record.metadata, ${allowedActions} as allowed_actions,
           record.is_archived, record.created_at,
           record.updated_at
`;
type Read = {
  /** Loans' rows, as `record`; all columns of the table are in them. */
  record: SqlFragment;
  /** The same row as functions of the database take it. */
  whole: SqlFragment;
  /** The interest that it owes on the day, below nothing where it was paid ahead. */
  balance: SqlFragment;
  /** Since when something is unpaid on the day, where `owed.interest` is what it owes. */
  since: SqlFragment;
};

const sourceOf = ({ record, whole, balance, since }: Read) => sql.fragment`
    from ${record} as record
    -- Everybody has one: said so that whoever asks for nothing of theirs looks for none.
    left join borrowers as borrower on borrower.id = record.borrower_id
    cross join (select app.business_date() as day offset 0) as today
    cross join lateral (
      select greatest(interest.balance, 0.00) as interest,
             greatest(record.principal_balance + record.outstanding_fees + interest.balance, 0.00) as repayment
      from (select ${balance} as balance offset 0) as interest
      offset 0
    ) as owed
    cross join lateral (select ${since} as since offset 0) as due
    cross join lateral (
      select app.days_past_due(
        case when owed.repayment > 0 then due.since end, today.day, record.delinquency_pauses, record.delinquency_grace_days
      ) as days_past_due
      offset 0
    ) as late
    -- A line without a limit of its own has the amount that was approved.
    cross join lateral (
      select case when record.loan_type = 'line_of_credit'
        then coalesce(record.credit_limit, record.principal_amount) end as credit_limit
    ) as line
    left join lateral ${openPlan} as plan on record.schedule_version > 0
    left join lateral ${pastDue} as behind on true
    left join lateral ${nextBill(whole)} as bill on true
`;

/** Where a loan is read, one or a few of them. */
export const source = sourceOf({
  record: sql.fragment`loans`,
  whole: sql.fragment`record`,
  balance: sql.fragment`app.interest_balance(record, today.day)`,
  since: sql.fragment`app.unpaid_since(record, today.day, owed.interest)`,
});

/**
 * The same of many loans. Whatever follows from a loan's row alone is computed where the row is read: a
 * function that takes the row from elsewhere looks for each of its columns anew. `more` is computed there, too.
 */
export const sourceOfMany = (where: SqlFragment, more: SqlFragment) =>
  sourceOf({
    record: sql.fragment`(
      select record.*, record as whole, app.interest_balance(record, today.day) as interest_balance,
             app.unpaid_since(record, today.day, greatest(app.interest_balance(record, today.day), 0.00)) as unpaid_since,
             ${more}
      from loans as record
      cross join (select app.business_date() as day offset 0) as today
      where ${where}
      offset 0
    )`,
    whole: sql.fragment`record.whole`,
    balance: sql.fragment`record.interest_balance`,
    since: sql.fragment`record.unpaid_since`,
  });
