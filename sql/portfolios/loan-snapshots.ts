import { sql } from '../database/db.ts';
import { table } from '../table.ts';

export const loanSnapshots = table({
  name: 'loan_snapshots',
  rows: sql.fragment`
    select record.id, record.loan_id, record.snapshot_date, record.status, record.sub_status,
           record.principal_balance, record.accrued_interest, record.outstanding_fees,
           record.total_balance, record.suspense_balance, record.payoff_amount, record.per_diem,
           record.interest_accrued_today, record.past_due_amount, record.past_due_principal,
           record.past_due_interest, record.past_due_fees, record.past_due_30_amount,
           record.days_past_due, record.delinquency_bucket, record.first_delinquency_date,
           record.times_delinquent_30, record.times_delinquent_60, record.times_delinquent_90,
           record.next_payment_date, record.next_payment_amount, record.last_payment_date, record.last_payment_amount,
           record.total_paid_principal, record.total_paid_interest, record.total_paid_fees,
           trim_scale(record.interest_rate) as interest_rate, record.remaining_term,
           record.payments_remaining, record.maturity_date, record.final_payment_amount,
           record.credit_limit, record.available_credit, record.is_frozen, record.is_accelerated, record.is_non_accrual,
           record.charge_off_balance, record.net_charge_off, record.portfolio_id, record.investor_id,
            record.loan_officer_id, record.labels,
           record.created_at
    from loan_snapshots as record
  `,
});
