import { z } from 'zod';
import { HistoryInput } from './history-input.ts';
import {
  date,
  externalId,
  flag,
  jsonObject,
  money,
  positiveMoney,
  rate,
  uuid,
  requiredText,
} from '../../../sql/types.ts';

export const BOARDING_STATUSES = [
  'pending',
  'approved',
  'active',
  'charged_off',
  'paid_off',
] as const;

const times = z.int().min(0).max(600).default(0);

const TimesDelinquent = z
  .strictObject({
    30: times.describe('How often it became 30 days past due.'),
    60: times.describe('How often it became 60 days past due.'),
    90: times.describe('How often it became 90 days past due.'),
  })
  .refine(
    (counts) => counts[30] >= counts[60] && counts[60] >= counts[90],
    'Must not increase with the number of days.',
  );

/** Specification "Loan boarding payload", with the optional superset. */
export const Boarding = z.object({
  borrower_id: uuid.describe('The primary borrower. Create the borrower first.'),
  program_id: uuid.describe('An active program.'),
  product_id: uuid.describe('An active product of the program. The loan copies its terms.'),
  loan_number: requiredText
    .max(50)
    .nullish()
    .describe('The number of the loan. Must be unique. Default: the next number of the year.'),
  principal_amount: positiveMoney.describe(
    'The original amount, or the credit limit of a line of credit.',
  ),
  current_principal_balance: money
    .nullish()
    .describe('The principal that is still owed today. Default: `principal_amount`.'),
  interest_rate: rate.describe('Annual rate. Must be within the limits of the product.'),
  term_months: z.int().min(1).max(600).describe('The original term in months.'),
  origination_date: date.describe('When the loan was made. Must not be in the future.'),
  first_payment_date: date
    .nullish()
    .describe(
      'The first due date of the original schedule. Default: one period after `origination_date`.',
    ),
  status: z
    .enum(BOARDING_STATUSES)
    .default('active')
    .describe(
      '`active` takes over balances and schedule. `charged_off` takes over only what is still owed. `paid_off` keeps the loan as a record. `pending` and `approved` loans continue here.',
    ),
  external_id: externalId.nullish(),
  accrued_interest: money
    .nullish()
    .describe(
      'Unpaid interest on the boarding date. Default: the interest from `paid_through_date` or the last due date, for an active loan.',
    ),
  outstanding_fees: money.nullish().describe('Unpaid fees on the boarding date. Default: none.'),
  paid_through_date: date
    .nullish()
    .describe(
      'The borrower has paid all installments due on or before this day. Default: the business date.',
    ),
  next_due_date: date
    .nullish()
    .describe(
      'The first due date that is not paid in full. Send it instead of `paid_through_date` if you only know this date.',
    ),
  payment_amount: positiveMoney
    .nullish()
    .describe(
      'The installment that the borrower pays. Default: calculated from the terms. Fails with 422 if it does not repay the loan.',
    ),
  has_balloon: flag
    .nullish()
    .describe(
      'The lender agreed to a final payment that is larger than the others. Otherwise the request fails with 422.',
    ),
  has_capitalization: flag
    .nullish()
    .describe(
      'Interest or fees were added to the principal, so that the balance may be above `principal_amount`. Otherwise the request fails with 422.',
    ),
  payment_day: z
    .int()
    .min(1)
    .max(31)
    .nullish()
    .describe(
      'The day of the month on which installments are due. Default: the day of `first_payment_date`.',
    ),
  last_payment_date: date
    .nullish()
    .describe('The last payment that the previous servicer received.'),
  charge_off_date: date
    .nullish()
    .describe('When the loan was charged off. Default: the business date, for a charged-off loan.'),
  charge_off_amount: money
    .nullish()
    .describe('The charged-off amount that is still owed. Default: the principal balance.'),
  first_delinquency_date: date
    .nullish()
    .describe(
      'The date of first delinquency that the previous servicer reported. Not after the charge-off. Without it, a charged-off loan, or one that is 30 days past due, is boarded but not reported to the credit bureaus, and a task asks for the date.',
    ),
  portfolio_id: uuid.nullish().describe('An active static portfolio for the loan.'),
  investor_id: uuid.nullish().describe('The owner of the whole loan. Its ledger stays here.'),
  times_delinquent: TimesDelinquent.nullish().describe(
    'How often the loan became 30, 60 and 90 days past due so far. A loan that was 60 days past due was also 30 days past due.',
  ),
  payment_history_profile: z
    .string()
    .regex(/^[0-6BDEGHJKLZ]{24}$/, 'Must be the 24 marks of Metro 2, the newest month first.')
    .nullish()
    .describe('For earlier months, as the previous servicer reported them.'),
  suspense_balance: money
    .nullish()
    .describe(
      'Money that the previous servicer received and did not apply. Only with a history, which must leave this amount.',
    ),
  history: HistoryInput.nullish().describe(
    'What happened at the previous servicer. With a replayed history, the balances above are not a start but a check: the request fails with 422 if the history leaves other balances. `interest_rate` and `payment_amount` are then those of its first day.',
  ),
  accept_difference: flag
    .nullish()
    .describe(
      'Boards the loan with the balances of its history although the stated ones differ. The stated ones are kept.',
    ),
  metadata: jsonObject.optional().describe('Your own data about the loan, up to 16 kB.'),
});
export type Boarding = z.output<typeof Boarding>;
