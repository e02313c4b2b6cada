import { z } from 'zod';
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

/**
 * How often the loan has been 30, 60 and 90 days past due so far. A loan that was 60 days past due was also
 * 30 days past due.
 */
const TimesDelinquent = z
  .strictObject({ 30: times, 60: times, 90: times })
  .refine(
    (counts) => counts[30] >= counts[60] && counts[60] >= counts[90],
    'Must not increase with the number of days.',
  );

/** Specification "Loan boarding payload", with the optional superset. */
export const Boarding = z.object({
  borrower_id: uuid,
  program_id: uuid,
  product_id: uuid,
  loan_number: requiredText.max(50).nullish(),
  principal_amount: positiveMoney,
  current_principal_balance: money.nullish(),
  interest_rate: rate,
  term_months: z.int().min(1).max(600),
  origination_date: date,
  first_payment_date: date.nullish(),
  status: z.enum(BOARDING_STATUSES).default('active'),
  external_id: externalId.nullish(),
  accrued_interest: money.nullish(),
  outstanding_fees: money.nullish(),
  paid_through_date: date.nullish(),
  payment_amount: positiveMoney.nullish(),
  has_balloon: flag
    .nullish()
    .describe(
      'The lender agreed to a final payment that is larger than the others. Otherwise the request fails with 422.',
    ),
  payment_day: z.int().min(1).max(31).nullish(),
  last_payment_date: date.nullish(),
  charge_off_date: date.nullish(),
  charge_off_amount: money.nullish(),
  portfolio_id: uuid.nullish(),
  investor_id: uuid.nullish().describe('The owner of the whole loan. Its ledger stays here.'),
  times_delinquent: TimesDelinquent.nullish(),
  payment_history_profile: z
    .string()
    .regex(/^[0-6BDEGHJKLZ]{24}$/, 'Must be the 24 marks of Metro 2, the newest month first.')
    .nullish()
    .describe('For earlier months, as the previous servicer reported them.'),
  metadata: jsonObject.optional(),
});
export type Boarding = z.output<typeof Boarding>;
