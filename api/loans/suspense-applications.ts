import { z } from 'zod';
import {
  recordChanger,
  recordRefuser,
  immutableConflict,
} from '../../jobs/loans/history/loan-records.ts';
import {
  SuspenseApplicationReversal,
  applySuspense,
  reverseSuspenseApplication,
  SUSPENSE_USES,
  exceedsSuspense,
  exceedsAmountOwed,
} from '../../jobs/payments/apply-suspense.ts';
import { suspenseApplications as table } from '../../sql/loans/suspense-applications.ts';
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

export const suspenseApplications = resource({
  name: 'SuspenseApplication',
  path: 'suspense-applications',
  about: 'Money in suspense that is applied to its loan.',
  area: 'loans',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['read', 'update', 'delete'],

  fields: {
    id: uuid.readonly(),
    loan_id: uuid,
    amount: positiveMoney
      .nullish()
      .describe('The amount to apply. Default: as much as the loan can use.'),
    effective_date: date
      .nullish()
      .describe(
        'The day of the application. Default: the business date. Must not be in the future.',
      ),
    payment_type: z
      .enum(SUSPENSE_USES)
      .default('regular')
      .describe(
        'How it is applied: `regular` like a payment, `extra_principal` to interest and principal ahead of schedule, `fee_only` to fees.',
      ),
    notes: prose.nullish().describe('Your notes.'),
    source: z
      .enum(['staff', 'rule'])
      .readonly()
      .describe('Whether staff or the setting `suspense.pays_bills` applied it.'),
    status: z.enum(['applied', 'reversed']).readonly().describe('Whether it was reversed.'),
    principal_applied: money.readonly().describe('The amount applied to principal.'),
    interest_applied: signedMoney.readonly().describe('The amount applied to interest.'),
    fees_applied: money.readonly().describe('The amount applied to fees.'),
    created_by: uuid.nullable().readonly(),
    journal_entry_id: uuid.nullable().readonly(),
    ...timestamps,
  },
  fixed: ['loan_id', 'amount', 'effective_date', 'payment_type'],
  filters: ['loan_id', 'status', 'source', 'effective_date'],

  example: () => ({ amount: '10.00' }),
  conflicts: {
    create: () => [
      exceedsSuspense({ suspense_balance: '40.00' }),
      exceedsAmountOwed({ suspense_balance: '400.00', applicable_amount: '310.00' }),
    ],
    update: () => [immutableConflict('suspense application', 'applied')],
    delete: () => [immutableConflict('suspense application', 'applied')],
  },
  create: applySuspense,
  update: recordChanger({
    table: 'suspense_applications',
    noun: 'suspense application',
    cancelable: [],
  }),
  remove: recordRefuser('suspense application'),
  four_eyes: { create: 'suspense' },
  actions: {
    reverse: action({
      allow: 'loan_officer',
      summary: 'Reverse a suspense application',
      description:
        'Recalculates the loan as if it had never happened. The money returns to suspense.',
      body: SuspenseApplicationReversal,
      four_eyes: 'reversals',
      run: reverseSuspenseApplication,
    }),
  },
});
