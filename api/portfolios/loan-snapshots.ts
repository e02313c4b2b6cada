import { z } from 'zod';
import { DELINQUENCY_BUCKETS } from '../../jobs/loans/delinquency.ts';
import { loanSnapshots as table } from '../../sql/portfolios/loan-snapshots.ts';
import { date, flag, integer, money, rate, signedMoney, stamps, uuid } from '../../sql/types.ts';
import { resource } from '../resource.ts';

const amount = money.readonly();

export const loanSnapshots = resource({
  name: 'LoanSnapshot',
  path: 'loan-snapshots',
  area: 'portfolios',
  table,
  read: 'viewer',
  write: 'admin',
  offers: ['list'],
  sort: { field: 'snapshot_date', descending: true },

  fields: {
    id: uuid.readonly(),
    loan_id: uuid.readonly(),
    snapshot_date: date.readonly(),
    status: z.string().readonly(),
    sub_status: z.string().nullable().readonly(),
    principal_balance: amount,
    accrued_interest: amount,
    outstanding_fees: amount,
    total_balance: amount,
    suspense_balance: amount,
    payoff_amount: amount,
    per_diem: amount,
    interest_accrued_today: amount,
    past_due_amount: amount,
    days_past_due: integer.readonly(),
    delinquency_bucket: z.enum(DELINQUENCY_BUCKETS).readonly(),
    first_delinquency_date: date.nullable().readonly(),
    next_payment_date: date.nullable().readonly(),
    next_payment_amount: money.nullable().readonly(),
    last_payment_date: date.nullable().readonly(),
    last_payment_amount: money.nullable().readonly(),
    total_paid_principal: signedMoney.readonly(),
    total_paid_interest: amount,
    total_paid_fees: amount,
    interest_rate: rate.readonly(),
    remaining_term: integer.readonly(),
    maturity_date: date.nullable().readonly(),
    is_frozen: flag.readonly(),
    is_accelerated: flag.readonly(),
    is_non_accrual: flag.readonly(),
    charge_off_balance: amount,
    portfolio_id: uuid.nullable().readonly(),
    loan_officer_id: uuid.nullable().readonly(),
    labels: z.array(z.string()).readonly(),
    created_at: stamps.created_at,
  },
  filters: ['loan_id', 'snapshot_date', 'portfolio_id', 'delinquency_bucket', 'status'],
});
