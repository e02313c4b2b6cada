import { z } from 'zod';
import {
  DAY_COUNTS,
  INTEREST_METHODS,
  LOAN_TYPES,
  PAYMENT_FREQUENCIES,
} from '../../jobs/loans/arithmetic/terms.ts';
import { DELINQUENCY_BUCKETS } from '../../jobs/loans/engine/delinquency.ts';
import { LOAN_STATUSES } from '../../jobs/loans/history/statuses.ts';
import {
  computedRate,
  date,
  externalId,
  flag,
  integer,
  jsonObject,
  money,
  positiveMoney,
  rate,
  signedMoney,
  timestamps,
  text,
  timestamp,
  uuid,
} from '../../sql/types.ts';

const known = <Schema extends z.ZodType>(schema: Schema) => schema.readonly();

/** The loan as every answer returns it. Balances are as of the business date. */
export const loanFields = {
  id: known(uuid),
  loan_number: known(text),
  external_id: externalId.nullish(),
  borrower_id: uuid,
  /** First and last name of 200 characters each, and a space. */
  borrower_name: known(z.string().max(401)),
  program_id: uuid,
  product_id: uuid,
  portfolio_id: uuid.nullish(),
  investor_id: known(uuid.nullable()),
  loan_officer_id: known(uuid.nullable()),
  status: known(z.enum(LOAN_STATUSES)),
  sub_status: known(text.nullable()),
  loan_type: known(z.enum(LOAN_TYPES)),
  principal_amount: positiveMoney,
  disbursed_amount: known(money),
  principal_balance: known(money),
  accrued_interest: known(money),
  outstanding_fees: known(money),
  total_balance: known(money),
  suspense_balance: known(money),
  charge_off_balance: known(money),
  deficiency_balance: known(money),
  interest_rate: rate,
  apr: known(
    computedRate
      .nullable()
      .describe('From the latest disclosure. For a boarded loan, calculated from its terms.'),
  ),
  current_rate: known(rate),
  promo_rate: known(rate.nullable()),
  promo_end_date: known(date.nullable()),
  day_count: known(z.enum(DAY_COUNTS)),
  interest_method: known(z.enum(INTEREST_METHODS)),
  payment_frequency: known(z.enum(PAYMENT_FREQUENCIES)),
  payment_amount: known(money.nullable()),
  payment_day: z.int().min(1).max(31).nullish(),
  term_months: z
    .int()
    .min(1)
    .max(600)
    .describe('The current term. A modification, deferment or forbearance can change it.'),
  original_term_months: known(integer.describe('The original term of the loan.')),
  remaining_term: known(integer),
  expected_disbursement_date: date
    .nullish()
    .describe('The agreed disbursement date, set while the loan is pending.'),
  first_payment_date: date
    .nullish()
    .describe(
      'Can be agreed while the loan is pending. After disbursement, taken from the schedule.',
    ),
  next_payment_date: known(date.nullable()),
  next_payment_amount: known(money),
  payments_remaining: known(integer.nullable()),
  final_payment_amount: known(
    money
      .nullable()
      .describe('The amount of the final installment if all installments are paid on time.'),
  ),
  last_payment_date: known(date.nullable()),
  last_payment_amount: known(money.nullable()),
  maturity_date: known(date.nullable()),
  cycle_start_date: known(date.nullable()),
  cycle_end_date: known(date.nullable().describe('The last day of the billing cycle of a line.')),
  interest_free_balance: known(
    money.describe(
      'Principal of a line of credit that accrues no interest while each statement is paid in full by its due date.',
    ),
  ),
  origination_date: known(date.nullable()),
  disbursement_date: known(date.nullable()),
  approved_at: known(timestamp.nullable()),
  approved_by: known(uuid.nullable()),
  denied_at: known(timestamp.nullable()),
  denial_reasons: known(z.array(z.string())),
  canceled_at: known(timestamp.nullable()),
  cancel_reason: known(text.nullable()),
  paid_off_at: known(timestamp.nullable()),
  charged_off_at: known(timestamp.nullable()),
  charge_off_reason: known(text.nullable()),
  charge_off_amount: known(money.nullable()),
  recovered_amount: known(money.describe('The amount recovered after the charge-off.')),
  net_charge_off: known(money),
  is_frozen: known(flag),
  frozen_at: known(timestamp.nullable()),
  freeze_reason: known(text.nullable()),
  freeze_until: known(date.nullable()),
  is_accelerated: known(flag),
  accelerated_at: known(timestamp.nullable()),
  is_non_accrual: known(flag),
  non_accrual_since: known(date.nullable()),
  is_secured: known(flag),
  is_defaulted: known(flag),
  days_past_due: known(integer),
  delinquency_bucket: known(z.enum(DELINQUENCY_BUCKETS)),
  past_due_amount: known(money.describe('The sum of principal, interest and fees.')),
  past_due_principal: known(money),
  past_due_interest: known(money),
  past_due_fees: known(money),
  fees_due: known(money.describe('Unpaid fees that are not part of an installment.')),
  amount_due: known(
    money.describe('The total due by the next due date, including past-due amounts and fees.'),
  ),
  past_due_30_amount: known(money.describe('The amount that is 30 or more days past due.')),
  times_delinquent_30: known(
    integer.describe(
      'Number of times the loan became this many days past due; also for 60 and 90.',
    ),
  ),
  times_delinquent_60: known(integer),
  times_delinquent_90: known(integer),
  first_delinquency_date: known(date.nullable()),
  credit_limit: known(money.nullable()),
  available_credit: known(money.nullable()),
  /** Negative if more was returned to the borrower than the borrower had paid. */
  paid_principal: known(signedMoney),
  paid_interest: known(money),
  paid_fees: known(money),
  labels: known(z.array(z.string())),
  metadata: jsonObject.default({}),
  allowed_actions: known(z.array(z.string())),
  is_archived: known(flag),
  ...timestamps,
};
