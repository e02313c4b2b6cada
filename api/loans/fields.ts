import { z } from 'zod';
import {
  DAY_COUNTS,
  INTEREST_METHODS,
  LOAN_TYPES,
  PAYMENT_FREQUENCIES,
} from '../../jobs/loans/arithmetic/terms.ts';
import { derivedFrom } from '../../jobs/facts.ts';
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

const readonlyField = <Schema extends z.ZodType>(schema: Schema) => schema.readonly();

/** A loan's field that its records repeat, so that their lists can be filtered by borrower. */
export const loanFacts = {
  borrower_id: derivedFrom(readonlyField(uuid), 'loans.borrower_id'),
};

/** The loan as every answer returns it. Balances are as of the business date. */
export const loanFields = {
  id: readonlyField(uuid),
  loan_number: readonlyField(text),
  external_id: externalId.nullish(),
  borrower_id: uuid.describe(
    'The primary borrower, who receives the money. Cannot change after approval.',
  ),
  /** First and last name of 200 characters each, and a space. */
  borrower_name: readonlyField(z.string().max(401)),
  program_id: uuid.describe('An active program. Cannot change after approval.'),
  product_id: uuid.describe(
    'An active product of the program. The loan copies its terms, so later changes to the product do not affect the loan.',
  ),
  portfolio_id: uuid
    .nullish()
    .describe(
      'A static portfolio for the loan. Only an admin can set it. Null removes the loan from its portfolio.',
    ),
  investor_id: readonlyField(uuid.nullable()),
  loan_officer_id: readonlyField(uuid.nullable()),
  status: readonlyField(z.enum(LOAN_STATUSES)),
  sub_status: readonlyField(text.nullable()),
  loan_type: readonlyField(z.enum(LOAN_TYPES)),
  principal_amount: positiveMoney.describe(
    'The approved amount, or the credit limit of a line of credit. Must be within the limits of the product. Cannot change after approval.',
  ),
  disbursed_amount: readonlyField(money),
  principal_balance: readonlyField(money),
  accrued_interest: readonlyField(money),
  outstanding_fees: readonlyField(money),
  total_balance: readonlyField(money),
  suspense_balance: readonlyField(money),
  charge_off_balance: readonlyField(money),
  deficiency_balance: readonlyField(money),
  interest_rate: rate.describe(
    'Annual contract rate. Must be within the limits of the product. Cannot change after approval; a modification changes it later.',
  ),
  apr: readonlyField(
    computedRate
      .nullable()
      .describe('From the latest disclosure. For a boarded loan, calculated from its terms.'),
  ),
  current_rate: readonlyField(rate),
  promo_rate: readonlyField(rate.nullable()),
  promo_end_date: readonlyField(date.nullable()),
  day_count: readonlyField(z.enum(DAY_COUNTS)),
  interest_method: readonlyField(z.enum(INTEREST_METHODS)),
  payment_frequency: readonlyField(z.enum(PAYMENT_FREQUENCIES)),
  payment_amount: readonlyField(money.nullable()),
  payment_day: z
    .int()
    .min(1)
    .max(31)
    .nullish()
    .describe(
      'The day of the month on which installments are due. 29 to 31 mean the last day of shorter months. Default: the day of the first due date. Has no effect on weekly and biweekly loans. After approval, use `change-due-date`.',
    ),
  term_months: z
    .int()
    .min(1)
    .max(600)
    .describe(
      'The term in months, within the limits of the product. A modification, deferment or forbearance can change it later.',
    ),
  original_term_months: readonlyField(integer.describe('The original term of the loan.')),
  remaining_term: readonlyField(integer),
  expected_disbursement_date: date
    .nullish()
    .describe(
      'When you plan to disburse the loan. The disclosure assumes this date. Can change only while the loan is pending.',
    ),
  first_payment_date: date
    .nullish()
    .describe(
      'The agreed first due date. Can change only while the loan is pending. Default: according to the product. After disbursement, the first due date of the schedule.',
    ),
  next_payment_date: readonlyField(date.nullable()),
  next_payment_amount: readonlyField(money),
  payments_remaining: readonlyField(integer.nullable()),
  final_payment_amount: readonlyField(
    money
      .nullable()
      .describe('The amount of the final installment if all installments are paid on time.'),
  ),
  last_payment_date: readonlyField(date.nullable()),
  last_payment_amount: readonlyField(money.nullable()),
  maturity_date: readonlyField(date.nullable()),
  cycle_start_date: readonlyField(date.nullable()),
  cycle_end_date: readonlyField(
    date.nullable().describe('The last day of the billing cycle of a line.'),
  ),
  interest_free_balance: readonlyField(
    money.describe(
      'Principal of a line of credit that accrues no interest while each statement is paid in full by its due date.',
    ),
  ),
  origination_date: readonlyField(date.nullable()),
  disbursement_date: readonlyField(date.nullable()),
  approved_at: readonlyField(timestamp.nullable()),
  approved_by: readonlyField(uuid.nullable()),
  denied_at: readonlyField(timestamp.nullable()),
  denial_reasons: readonlyField(z.array(z.string())),
  canceled_at: readonlyField(timestamp.nullable()),
  cancel_reason: readonlyField(text.nullable()),
  paid_off_at: readonlyField(timestamp.nullable()),
  charged_off_at: readonlyField(timestamp.nullable()),
  charge_off_reason: readonlyField(text.nullable()),
  charge_off_amount: readonlyField(money.nullable()),
  recovered_amount: readonlyField(money.describe('The amount recovered after the charge-off.')),
  net_charge_off: readonlyField(money),
  is_frozen: readonlyField(flag),
  frozen_at: readonlyField(timestamp.nullable()),
  freeze_reason: readonlyField(text.nullable()),
  freeze_until: readonlyField(date.nullable()),
  is_accelerated: readonlyField(flag),
  accelerated_at: readonlyField(timestamp.nullable()),
  is_non_accrual: readonlyField(flag),
  non_accrual_since: readonlyField(date.nullable()),
  is_secured: readonlyField(flag),
  is_defaulted: readonlyField(flag),
  days_past_due: readonlyField(integer),
  delinquency_bucket: readonlyField(z.enum(DELINQUENCY_BUCKETS)),
  past_due_amount: readonlyField(money.describe('The sum of principal, interest and fees.')),
  past_due_principal: readonlyField(money),
  past_due_interest: readonlyField(money),
  past_due_fees: readonlyField(money),
  fees_due: readonlyField(money.describe('Unpaid fees that are not part of an installment.')),
  amount_due: readonlyField(
    money.describe('The total due by the next due date, including past-due amounts and fees.'),
  ),
  past_due_30_amount: readonlyField(money.describe('The amount that is 30 or more days past due.')),
  times_delinquent_30: readonlyField(
    integer.describe(
      'Number of times the loan became this many days past due; also for 60 and 90.',
    ),
  ),
  times_delinquent_60: readonlyField(integer),
  times_delinquent_90: readonlyField(integer),
  first_delinquency_date: readonlyField(date.nullable()),
  credit_limit: readonlyField(money.nullable()),
  available_credit: readonlyField(money.nullable()),
  /** Negative if more was returned to the borrower than the borrower had paid. */
  paid_principal: readonlyField(signedMoney),
  paid_interest: readonlyField(money),
  paid_fees: readonlyField(money),
  labels: readonlyField(z.array(z.string())),
  metadata: jsonObject
    .default({})
    .describe(
      'Your own data about the loan, up to 16 kB. Has no effect, except that tapes can show `credit_score`.',
    ),
  allowed_actions: readonlyField(z.array(z.string())),
  is_archived: readonlyField(flag),
  ...timestamps,
};
