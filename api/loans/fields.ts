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
  stamps,
  text,
  timestamp,
  uuid,
} from '../../sql/types.ts';

const known = <Schema extends z.ZodType>(schema: Schema) => schema.readonly();

/** The loan as every answer gives it. What it owes is as of the business date. */
export const loanFields = {
  id: known(uuid),
  loan_number: known(text),
  external_id: externalId.nullish(),
  borrower_id: uuid,
  /** A first and a last name, which are as long as a text may be each. */
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
    computedRate.nullable().describe('Of the last disclosure; of a boarded loan, by its terms.'),
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
    .describe('The present term: a modification, deferment or forbearance can change it.'),
  original_term_months: known(integer.describe('The term that the loan began with.')),
  remaining_term: known(integer),
  expected_disbursement_date: date
    .nullish()
    .describe('When the money is to go out, agreed while the loan is pending.'),
  first_payment_date: date
    .nullish()
    .describe(
      'May be agreed while the loan is pending; from the disbursement on, that of its plan.',
    ),
  next_payment_date: known(date.nullable()),
  next_payment_amount: known(money),
  payments_remaining: known(integer.nullable()),
  final_payment_amount: known(
    money
      .nullable()
      .describe('What the last instalment will ask for, if all are paid on their days.'),
  ),
  last_payment_date: known(date.nullable()),
  last_payment_amount: known(money.nullable()),
  maturity_date: known(date.nullable()),
  cycle_start_date: known(date.nullable()),
  cycle_end_date: known(date.nullable().describe('The last day of the billing cycle of a line.')),
  interest_free_balance: known(
    money.describe(
      'The principal of a line that bears no interest as long as each statement is paid in full when it is due.',
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
  recovered_amount: known(money.describe('What came in on what was charged off.')),
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
  past_due_amount: known(money.describe('The sum of its principal, its interest and its fees.')),
  past_due_principal: known(money),
  past_due_interest: known(money),
  past_due_fees: known(money),
  fees_due: known(money.describe('Open fees that no instalment asks for.')),
  amount_due: known(
    money.describe('All that is to be paid by the next date: with what is past due, and fees.'),
  ),
  past_due_30_amount: known(money.describe('What has been past due for 30 days or more.')),
  times_delinquent_30: known(integer.describe('How often it fell so far behind; also 60 and 90.')),
  times_delinquent_60: known(integer),
  times_delinquent_90: known(integer),
  first_delinquency_date: known(date.nullable()),
  credit_limit: known(money.nullable()),
  available_credit: known(money.nullable()),
  /** Below zero where more went back to the borrower than had come. */
  paid_principal: known(signedMoney),
  paid_interest: known(money),
  paid_fees: known(money),
  labels: known(z.array(z.string())),
  metadata: jsonObject.default({}),
  allowed_actions: known(z.array(z.string())),
  is_archived: known(flag),
  ...stamps,
};
