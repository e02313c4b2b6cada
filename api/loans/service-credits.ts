import { z } from 'zod';
import { CREDIT_TARGETS, SPONSORS } from '../../jobs/loans/engine/events.ts';
import {
  CREDIT_TYPES,
  CreditReversal,
  addServiceCredit,
  reverseServiceCredit,
  creditExceedsDebt,
} from '../../jobs/loans/fees/service-credits.ts';
import {
  recordChanger,
  recordRefuser,
  immutableConflict,
} from '../../jobs/loans/history/loan-records.ts';
import { serviceCredits as table } from '../../sql/loans/fees/service-credits.ts';
import {
  date,
  money,
  positiveMoney,
  prose,
  signedMoney,
  timestamps,
  uuid,
} from '../../sql/types.ts';
import { action, resource } from '../endpoints/resource.ts';

export const serviceCredits = resource({
  name: 'ServiceCredit',
  path: 'service-credits',
  about: 'A reduction of the debt that the borrower does not pay.',
  area: 'loans',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['read', 'update', 'delete'],

  fields: {
    id: uuid.readonly(),
    loan_id: uuid,
    amount: positiveMoney.describe(
      'The amount. More than the borrower owes is refused with 409 `exceeds_balance`.',
    ),
    credit_type: z
      .enum(CREDIT_TYPES)
      .default('goodwill')
      .describe('Why the credit is given. Classifies it.'),
    reason: prose.describe('The reason in words.'),
    apply_to: z
      .enum(CREDIT_TARGETS)
      .default('waterfall')
      .describe(
        'What the credit reduces: `waterfall` is applied like a payment, the other values only reduce that part of the debt.',
      ),
    effective_date: date
      .nullish()
      .describe('The day of the credit. Default: the business date. Must not be in the future.'),
    sponsor: z
      .enum(SPONSORS)
      .optional()
      .describe(
        'Who bears the credit. `lender` is the owner of the loan, which is the investor once the loan is sold. `servicer` and `merchant` are booked as your own Service Credit Expense. Default: `servicer` if the loan is sold, otherwise `lender`.',
      ),
    status: z.enum(['applied', 'reversed']).readonly().describe('Whether it was reversed.'),
    principal_applied: money.readonly().describe('The amount applied to principal.'),
    interest_applied: signedMoney.readonly().describe('The amount applied to interest.'),
    fees_applied: money.readonly().describe('The amount applied to fees.'),
    created_by: uuid.nullable().readonly(),
    journal_entry_id: uuid.nullable().readonly(),
    ...timestamps,
  },
  fixed: ['loan_id', 'amount', 'apply_to', 'effective_date', 'sponsor'],
  filters: ['loan_id', 'credit_type', 'status', 'effective_date', 'sponsor'],

  example: () => ({ amount: '10.00' }),
  conflicts: {
    create: () => [creditExceedsDebt('12.00')],
    update: () => [immutableConflict('service credit', 'applied')],
    delete: () => [immutableConflict('service credit', 'applied')],
  },
  create: addServiceCredit,
  update: recordChanger({ table: 'service_credits', noun: 'service credit', cancelable: [] }),
  remove: recordRefuser('service credit'),
  actions: {
    reverse: action({
      allow: 'loan_officer',
      summary: 'Reverse a service credit',
      description: 'Recalculates the loan as if the credit had never been given.',
      body: CreditReversal,
      four_eyes: 'reversals',
      run: reverseServiceCredit,
    }),
  },
});
