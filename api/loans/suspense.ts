import { z } from 'zod';
import { suspense as table } from '../../sql/loans/suspense.ts';
import { date, prose, signedMoney, timestamp, uuid } from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';

/** Read-only: money movements alone create suspense entries. */
export const suspense = resource({
  name: 'SuspenseEntry',
  path: 'suspense',
  about: 'A movement of money that was received but not applied to the loan.',
  area: 'loans',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: [],

  fields: {
    id: uuid.readonly(),
    loan_id: uuid.readonly(),
    payment_id: uuid.nullable().readonly().describe('The payment that moved the money.'),
    entry_type: z
      .enum(['receipt', 'application', 'refund', 'reversal', 'transfer'])
      .readonly()
      .describe('What moved the money.'),
    amount: signedMoney
      .readonly()
      .describe('Positive when money was received, negative when it was used.'),
    balance_after: signedMoney.readonly().describe('The money in suspense afterwards.'),
    reason: z
      .enum([
        'overpayment',
        'unapplied',
        'below_minimum',
        'loan_frozen',
        'pending_identification',
        'held_funds',
      ])
      .readonly()
      .describe('Why the money was not applied.'),
    status: z
      .enum(['open', 'applied', 'refunded'])
      .readonly()
      .describe('What happened to it since.'),
    entry_date: date.readonly().describe('The booking date.'),
    applied_to_payment_id: uuid.nullable().readonly().describe('The payment that used the money.'),
    journal_entry_id: uuid.readonly(),
    notes: prose
      .nullable()
      .readonly()
      .describe('Your notes about the entry. Null if there are none.'),
    created_at: timestamp.readonly(),
  },
  filters: ['entry_type', 'status', 'entry_date', 'payment_id'],
});
