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
  loan_number: readonlyField(text).describe(
    'The number of the loan: the next one of the year, or the number given on boarding.',
  ),
  external_id: externalId.nullish(),
  borrower_id: uuid.describe(
    'The primary borrower, who receives the money. Cannot change after approval.',
  ),
  /** First and last name of 200 characters each, and a space. */
  borrower_name: readonlyField(z.string().max(401)).describe(
    'First and last name of the primary borrower.',
  ),
  program_id: uuid.describe('An active program. Cannot change after approval.'),
  product_id: uuid.describe(
    'An active product of the program. The loan copies its terms, so later changes to the product do not affect the loan.',
  ),
  portfolio_id: uuid
    .nullish()
    .describe(
      'A static portfolio for the loan. Only an admin can set it. Null removes the loan from its portfolio.',
    ),
  investor_id: readonlyField(uuid.nullable()).describe(
    'The investor with the largest share of the loan, or the investor of its portfolio.',
  ),
  loan_officer_id: readonlyField(uuid.nullable()).describe(
    'The officer who is responsible for the loan.',
  ),
  status: readonlyField(z.enum(LOAN_STATUSES)).describe(
    '`pending`: applied for. `approved`: may be disbursed. `denied` and `canceled`: never funded. `active`: in service. `paid_off`: repaid. `charged_off`: a loss that is still owed. `settled`: repaid in part, the rest forgiven. `transferred`: sold and serviced elsewhere.',
  ),
  sub_status: derivedFrom(
    readonlyField(text.nullable()).describe(
      'What the law or a disaster changes for the loan at present, from the cases of its borrowers: `deceased`, `bankruptcy`, `identity_theft`, `active_duty`, `disaster` or `protection`. Null: nothing.',
    ),
    'cases.facts',
  ),
  loan_type: readonlyField(z.enum(LOAN_TYPES)).describe('From the product.'),
  principal_amount: positiveMoney.describe(
    'The approved amount, or the credit limit of a line of credit. Must be within the limits of the product. Cannot change after approval.',
  ),
  disbursed_amount: readonlyField(money).describe(
    'The amount paid out so far, before deducted fees.',
  ),
  principal_balance: readonlyField(money).describe(
    'The principal owed, without charged-off amounts.',
  ),
  accrued_interest: readonlyField(money).describe('Unpaid interest.'),
  outstanding_fees: readonlyField(money).describe('Unpaid fees.'),
  total_balance: readonlyField(money).describe('The sum of principal, interest and fees.'),
  suspense_balance: readonlyField(money).describe('Money received but not applied.'),
  charge_off_balance: readonlyField(money).describe('The charged-off amount that is still owed.'),
  deficiency_balance: readonlyField(money).describe(
    'The amount that is still owed after the last sale of collateral.',
  ),
  interest_rate: rate.describe(
    'Annual contract rate. Must be within the limits of the product. Cannot change after approval; a modification changes it later.',
  ),
  apr: readonlyField(
    computedRate
      .nullable()
      .describe('From the latest disclosure. For a boarded loan, calculated from its terms.'),
  ),
  current_rate: readonlyField(rate).describe(
    'The annual rate that applies today, with promotions.',
  ),
  promo_rate: readonlyField(rate.nullable()).describe('The rate of the current promotion.'),
  promo_end_date: readonlyField(date.nullable()).describe('The last day of the current promotion.'),
  day_count: readonlyField(z.enum(DAY_COUNTS)).describe('From the product.'),
  interest_method: readonlyField(z.enum(INTEREST_METHODS)).describe('From the product.'),
  payment_frequency: readonlyField(z.enum(PAYMENT_FREQUENCIES)).describe('From the product.'),
  payment_amount: readonlyField(money.nullable()).describe(
    'The regular installment. Null before the first disbursement.',
  ),
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
  remaining_term: readonlyField(integer).describe(
    'How many installments are left. Before the loan is funded, the term in months.',
  ),
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
  next_payment_date: readonlyField(date.nullable()).describe(
    'The next due date. Null if no installment follows.',
  ),
  next_payment_amount: readonlyField(money).describe(
    'The unpaid amount of the installment due on `next_payment_date`.',
  ),
  payments_remaining: readonlyField(integer.nullable()).describe(
    'How many installments are left. Null before the loan is funded.',
  ),
  final_payment_amount: readonlyField(
    money
      .nullable()
      .describe('The amount of the final installment if all installments are paid on time.'),
  ),
  last_payment_date: readonlyField(date.nullable()).describe('The day of the last payment.'),
  last_payment_amount: readonlyField(money.nullable()).describe('The amount of the last payment.'),
  maturity_date: readonlyField(date.nullable()).describe('The last due date.'),
  cycle_start_date: readonlyField(date.nullable()).describe(
    'The first day of the billing cycle of a line.',
  ),
  cycle_end_date: readonlyField(
    date.nullable().describe('The last day of the billing cycle of a line.'),
  ),
  interest_free_balance: readonlyField(
    money.describe(
      'Principal of a line of credit that accrues no interest while each statement is paid in full by its due date.',
    ),
  ),
  origination_date: readonlyField(date.nullable()).describe(
    'When the loan was made. On boarding, the date given.',
  ),
  disbursement_date: readonlyField(date.nullable()).describe('The day of the first disbursement.'),
  approved_at: readonlyField(timestamp.nullable()).describe('When the loan was approved.'),
  approved_by: readonlyField(uuid.nullable()).describe('The user who approved it.'),
  denied_at: readonlyField(timestamp.nullable()).describe('When the loan was denied.'),
  denial_reasons: readonlyField(z.array(z.string())).describe(
    'The reasons in the adverse action notice, as codes.',
  ),
  canceled_at: readonlyField(timestamp.nullable()).describe('When the loan was canceled.'),
  cancel_reason: readonlyField(text.nullable()).describe('Why it was canceled.'),
  paid_off_at: readonlyField(timestamp.nullable()).describe('When the loan was paid off.'),
  charged_off_at: readonlyField(timestamp.nullable()).describe('When the loan was charged off.'),
  charge_off_reason: readonlyField(text.nullable()).describe('Why it was charged off.'),
  charge_off_amount: readonlyField(money.nullable()).describe(
    'The principal that was charged off.',
  ),
  recovered_amount: readonlyField(money.describe('The amount recovered after the charge-off.')),
  net_charge_off: readonlyField(money).describe(
    'The charged-off principal minus what was recovered; never below zero.',
  ),
  is_frozen: readonlyField(flag).describe('Whether a freeze stops accrual.'),
  frozen_at: readonlyField(timestamp.nullable()).describe('When the loan was frozen.'),
  freeze_reason: readonlyField(text.nullable()).describe('Why it was frozen.'),
  freeze_until: readonlyField(date.nullable()).describe(
    'The day on which accrual resumes by itself.',
  ),
  is_accelerated: readonlyField(flag).describe('Whether the whole debt is due.'),
  accelerated_at: readonlyField(timestamp.nullable()).describe('When the loan was accelerated.'),
  is_non_accrual: readonlyField(flag).describe('Whether the loan is on non-accrual.'),
  non_accrual_since: readonlyField(date.nullable()).describe('The first day on non-accrual.'),
  is_secured: readonlyField(flag).describe('Whether active collateral secures the loan.'),
  is_defaulted: readonlyField(flag).describe(
    "Whether the loan is accelerated, or as many days past due as the product's `default_dpd_threshold`.",
  ),
  days_past_due: readonlyField(integer).describe(
    'Days since the oldest unpaid due date, without grace days and pauses.',
  ),
  delinquency_bucket: readonlyField(z.enum(DELINQUENCY_BUCKETS)).describe(
    '`days_past_due` as a range.',
  ),
  past_due_amount: readonlyField(money.describe('The sum of principal, interest and fees.')),
  past_due_principal: readonlyField(money).describe('The principal in it.'),
  past_due_interest: readonlyField(money).describe('The interest in it.'),
  past_due_fees: readonlyField(money).describe('The fees in it.'),
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
  times_delinquent_60: readonlyField(integer).describe(
    'Number of times the loan became 60 days past due.',
  ),
  times_delinquent_90: readonlyField(integer).describe(
    'Number of times the loan became 90 days past due.',
  ),
  first_delinquency_date: readonlyField(date.nullable()).describe(
    'The due date with which the present delinquency began.',
  ),
  boarded_delinquency_date: readonlyField(date.nullable()).describe(
    'For a boarded loan: the date of first delinquency that the previous servicer reported. Credit bureaus receive it for as long as that delinquency lasts.',
  ),
  credit_limit: readonlyField(money.nullable()).describe('The limit of a line of credit.'),
  available_credit: readonlyField(money.nullable()).describe(
    'The limit of a line minus its principal balance.',
  ),
  paid_principal: readonlyField(signedMoney).describe(
    'The principal that the borrower has paid. Negative if more was returned than paid.',
  ),
  paid_interest: readonlyField(money).describe('The interest that the borrower has paid.'),
  paid_fees: readonlyField(money).describe('The fees that the borrower has paid.'),
  labels: readonlyField(z.array(z.string())).describe('Your labels.'),
  metadata: jsonObject
    .default({})
    .describe(
      'Your own data about the loan, up to 16 kB. Has no effect, except that tapes can show `credit_score`.',
    ),
  allowed_actions: readonlyField(z.array(z.string())).describe(
    'The actions that the state of the loan allows, by the names in their paths. A request can still fail, for example because of its amount.',
  ),
  is_archived: readonlyField(flag),
  ...timestamps,
};
