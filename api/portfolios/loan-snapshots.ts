import { z } from 'zod';
import { derivedFrom } from '../../jobs/facts.ts';
import { DELINQUENCY_BUCKETS } from '../../jobs/loans/engine/delinquency.ts';
import { loanSnapshots as table } from '../../sql/portfolios/loan-snapshots.ts';
import {
  date,
  flag,
  integer,
  money,
  rate,
  signedMoney,
  timestamps,
  uuid,
} from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';

const amount = money.readonly();

export const loanSnapshots = resource({
  name: 'LoanSnapshot',
  path: 'loan-snapshots',
  about: 'The state of a loan at the end of a closed day.',
  area: 'portfolios',
  table,
  read: 'viewer',
  write: 'admin',
  offers: ['list'],
  sort: { field: 'snapshot_date', descending: true },

  fields: {
    id: uuid.readonly(),
    loan_id: uuid.readonly(),
    snapshot_date: date.readonly().describe('The day.'),
    status: z.string().readonly().describe('The status of the loan.'),
    sub_status: derivedFrom(
      z.string().nullable().readonly().describe('The `sub_status` of the loan on that day.'),
      'cases.facts',
    ),
    principal_balance: amount.describe('The principal owed.'),
    accrued_interest: amount.describe('Unpaid interest.'),
    outstanding_fees: amount.describe('Unpaid fees.'),
    total_balance: amount.describe('The sum of the three.'),
    suspense_balance: amount.describe('Money received but not applied.'),
    payoff_amount: amount.describe('The amount that paid off the loan on that day.'),
    per_diem: amount.describe('The interest of one more day.'),
    interest_accrued_today: amount.describe('The interest of that day.'),
    past_due_amount: amount.describe('The sum of principal, interest and fees.'),
    past_due_principal: amount.describe('The principal that was past due.'),
    past_due_interest: amount.describe('The interest that was past due.'),
    past_due_fees: amount.describe('The fees that were past due.'),
    past_due_30_amount: amount.describe('The amount that is 30 or more days past due.'),
    days_past_due: integer
      .readonly()
      .describe('Days since the oldest unpaid due date, without grace days and pauses.'),
    delinquency_bucket: z
      .enum(DELINQUENCY_BUCKETS)
      .readonly()
      .describe('The days past due as a range.'),
    first_delinquency_date: date
      .nullable()
      .readonly()
      .describe('The due date with which the delinquency began.'),
    times_delinquent_30: integer
      .readonly()
      .describe('Number of times the loan became 30 days past due.'),
    times_delinquent_60: integer
      .readonly()
      .describe('Number of times the loan became 60 days past due.'),
    times_delinquent_90: integer
      .readonly()
      .describe('Number of times the loan became 90 days past due.'),
    next_payment_date: date.nullable().readonly().describe('The next due date.'),
    next_payment_amount: money
      .nullable()
      .readonly()
      .describe('The unpaid amount of the next installment.'),
    last_payment_date: date.nullable().readonly().describe('The day of the last payment.'),
    last_payment_amount: money.nullable().readonly().describe('The amount of the last payment.'),
    total_paid_principal: signedMoney.readonly().describe('The principal paid so far.'),
    total_paid_interest: amount.describe('The interest paid so far.'),
    total_paid_fees: amount.describe('The fees paid so far.'),
    interest_rate: rate.readonly().describe('The annual rate on that day.'),
    remaining_term: integer.readonly().describe('How many installments were left.'),
    payments_remaining: integer.readonly().describe('How many installments were left.'),
    maturity_date: date.nullable().readonly().describe('The last due date.'),
    final_payment_amount: money
      .nullable()
      .readonly()
      .describe('The amount of the final installment.'),
    credit_limit: money.nullable().readonly().describe('The limit of a line of credit.'),
    available_credit: money
      .nullable()
      .readonly()
      .describe('The limit of a line minus its principal balance.'),
    is_frozen: flag.readonly().describe('Whether a freeze stopped accrual.'),
    is_accelerated: flag.readonly().describe('Whether the whole debt was due.'),
    is_non_accrual: flag.readonly().describe('Whether the loan was on non-accrual.'),
    charge_off_balance: amount.describe('The charged-off amount that was still owed.'),
    net_charge_off: amount.describe('The charged-off amount minus recoveries.'),
    portfolio_id: uuid.nullable().readonly(),
    investor_id: uuid.nullable().readonly(),
    loan_officer_id: uuid.nullable().readonly().describe('The responsible officer.'),
    labels: z.array(z.string()).readonly().describe('The labels of the loan.'),
    created_at: timestamps.created_at,
  },
  filters: [
    'loan_id',
    'snapshot_date',
    'portfolio_id',
    'investor_id',
    'delinquency_bucket',
    'status',
  ],
});
