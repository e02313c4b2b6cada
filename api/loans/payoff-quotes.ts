import { z } from 'zod';
import {
  cancelQuote,
  changeQuote,
  DELIVERY_METHODS,
  QUOTE_STATUSES,
  quotePayoff,
} from '../../jobs/loans/payoff/payoff-quotes.ts';
import { CHANGE_KINDS } from '../../jobs/loans/agreed/describe-change.ts';
import { SUPERSEDED_REASONS } from '../../jobs/loans/history/supersede-quotes.ts';
import { payoffQuotes as table } from '../../sql/loans/payoff-quotes.ts';
import {
  date,
  flag,
  integer,
  money,
  prose,
  rate,
  timestamps,
  text,
  uuid,
} from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';
import { loanFacts } from './fields.ts';
import { settingsIncomplete } from '../../jobs/documents/required-settings.ts';
import { loanNotInService, immutableConflict } from '../../jobs/loans/history/loan-records.ts';

const perDiemLine = z.object({
  from: date.describe('The first day.'),
  to: date.describe('The day after the last one.'),
  days: integer.describe('The number of days.'),
  balance: money.describe('The principal that bears interest.'),
  rate: rate.describe('The annual rate.'),
  amount: z.string().describe('Has ten decimals, because the lines are rounded once, together.'),
  rule: z.string().describe('Why interest accrues or does not.'),
});

const agreedChange = z.object({
  date: date.describe('When it happens.'),
  change: z.enum(CHANGE_KINDS).describe('What it is.'),
  description: z.string().describe('The change in words.'),
});

export const payoffQuotes = resource({
  name: 'PayoffQuote',
  path: 'payoff-quotes',
  about: 'The amount that pays off a loan through a day, with the calculation of its interest.',
  area: 'loans',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['list', 'read', 'update', 'delete'],

  fields: {
    id: uuid.readonly(),
    loan_id: uuid,
    ...loanFacts,
    quote_number: text.readonly().describe('The number of the quote.'),
    quote_date: date.readonly().describe('The business date of the quote.'),
    payoff_date: date
      .nullish()
      .describe(
        'The first day of the payoff. Default: the business date. Must not be in the past.',
      ),
    good_through_date: date
      .nullish()
      .describe(
        'The last day on which the quote is valid, within a year. Default: the payoff date plus `payoff_quote_valid_days` of the product, or the last day before an agreed change lowers the debt.',
      ),
    principal_amount: money.readonly().describe('The principal owed on the payoff date.'),
    accrued_interest: money.readonly().describe('The interest owed on the payoff date.'),
    per_diem: money.readonly().describe('The interest of one more day, for display.'),
    fees_amount: money.readonly().describe('The fees owed on the payoff date.'),
    unbilled_fees: money.readonly().describe('Fees that are not billed yet.'),
    prepayment_penalty: money.readonly().describe('The charge for paying off early.'),
    credits_amount: money.readonly().describe('Money in suspense, which reduces the amount.'),
    payoff_amount: money
      .readonly()
      .describe('The payoff amount on `payoff_date`. On a later day more is needed.'),
    payoff_amount_good_through: money
      .readonly()
      .describe(
        'What pays off the loan on any day through `good_through_date`. The letter, the message and ' +
          'the portal name this amount.',
      ),
    include_prepayment_penalty: flag
      .default(true)
      .describe(
        'Whether the amount includes the prepayment penalty. A payoff by this quote uses its penalty.',
      ),
    delivery_method: z
      .enum(DELIVERY_METHODS)
      .default('none')
      .describe(
        '`email` and `letter` send the payoff letter to every borrower of the loan. `portal` and `none` send nothing. A later change sends nothing.',
      ),
    explanation: z.array(perDiemLine).readonly().describe('The calculation of the interest.'),
    agreed_changes: z
      .array(agreedChange)
      .readonly()
      .describe('Agreed changes through `good_through_date` that the amounts include.'),
    remittance_instructions: prose.nullish().describe('How to pay, printed in the letter.'),
    status: z
      .enum(QUOTE_STATUSES)
      .default('active')
      .describe('Set by the server. To cancel an active quote, update it to `canceled`.'),
    superseded_reason: z
      .enum(SUPERSEDED_REASONS)
      .nullable()
      .readonly()
      .describe(
        'Why the quote was superseded: `newer_quote`, `agreed_change`, `payment_insufficient`, or the ' +
          'event that changed the payoff amount.',
      ),
    document_id: uuid.nullable().readonly(),
    document_status: z.string().nullable().readonly().describe('The state of the payoff letter.'),
    document_failure_reason: z
      .string()
      .nullable()
      .readonly()
      .describe('Why the letter could not be made.'),
    created_by: uuid.nullable().readonly(),
    ...timestamps,
  },
  fixed: ['loan_id', 'payoff_date', 'good_through_date', 'include_prepayment_penalty'],
  filters: ['loan_id', 'borrower_id', 'status', 'quote_number', 'payoff_date', 'good_through_date'],

  conflicts: {
    create: () => [
      loanNotInService({ status: 'paid_off', blockers: {} }),
      settingsIncomplete('payoff_letter', ['branding.address_line_1']),
    ],
    update: () => [immutableConflict('payoff quote', 'expired')],
    delete: () => [immutableConflict('payoff quote', 'accepted')],
  },
  create: quotePayoff,
  update: changeQuote,
  remove: cancelQuote,
});
