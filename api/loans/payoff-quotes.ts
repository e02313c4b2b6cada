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

const perDiemLine = z.object({
  from: date,
  to: date,
  days: integer,
  balance: money,
  rate,
  amount: z.string().describe('Has ten decimals, because the lines are rounded once, together.'),
  rule: z.string(),
});

const agreedChange = z.object({ date, change: z.enum(CHANGE_KINDS), description: z.string() });

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
    quote_number: text.readonly(),
    quote_date: date.readonly(),
    payoff_date: date
      .nullish()
      .describe(
        'The first day of the payoff. Default: the business date. Must not be in the past.',
      ),
    good_through_date: date
      .nullish()
      .describe(
        'The last day on which the quote is valid, within a year. Default: the payoff date plus `payoff_quote_valid_days` of the product.',
      ),
    principal_amount: money.readonly(),
    accrued_interest: money.readonly(),
    per_diem: money.readonly(),
    fees_amount: money.readonly(),
    unbilled_fees: money.readonly(),
    prepayment_penalty: money.readonly(),
    credits_amount: money.readonly(),
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
    explanation: z.array(perDiemLine).readonly(),
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
    document_status: z.string().nullable().readonly(),
    document_failure_reason: z.string().nullable().readonly(),
    created_by: uuid.nullable().readonly(),
    ...timestamps,
  },
  fixed: ['loan_id', 'payoff_date', 'good_through_date', 'include_prepayment_penalty'],
  filters: ['loan_id', 'borrower_id', 'status', 'quote_number', 'payoff_date', 'good_through_date'],

  create: quotePayoff,
  update: changeQuote,
  remove: cancelQuote,
});
