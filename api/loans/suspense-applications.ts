import { z } from 'zod';
import { recordChanger, recordRefuser } from '../../jobs/loans/history/loan-records.ts';
import {
  SuspenseApplicationReversal,
  applySuspense,
  reverseSuspenseApplication,
  SUSPENSE_USES,
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
  area: 'loans',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['read', 'update', 'delete'],

  fields: {
    id: uuid.readonly(),
    loan_id: uuid,
    amount: positiveMoney.nullish().describe('Default: as much as the loan can use.'),
    effective_date: date.nullish(),
    payment_type: z.enum(SUSPENSE_USES).default('regular'),
    notes: prose.nullish(),
    source: z.enum(['staff', 'rule']).readonly(),
    status: z.enum(['applied', 'reversed']).readonly(),
    principal_applied: money.readonly(),
    interest_applied: signedMoney.readonly(),
    fees_applied: money.readonly(),
    created_by: uuid.nullable().readonly(),
    journal_entry_id: uuid.nullable().readonly(),
    ...timestamps,
  },
  fixed: ['loan_id', 'amount', 'effective_date', 'payment_type'],
  filters: ['loan_id', 'status', 'source', 'effective_date'],

  example: () => ({ amount: '10.00' }),
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
      body: SuspenseApplicationReversal,
      four_eyes: 'reversals',
      run: reverseSuspenseApplication,
    }),
  },
});
