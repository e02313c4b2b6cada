import { z } from 'zod';
import { TRANSACTION_TYPES } from '../../jobs/loans/boarding/history-input.ts';
import { earlierTransactions as table } from '../../sql/loans/boarding/earlier-transactions.ts';
import {
  date,
  flag,
  integer,
  money,
  prose,
  rate,
  signedMoney,
  text,
  timestamp,
  uuid,
} from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';

/** Read-only: they come with the loan. */
export const earlierTransactions = resource({
  name: 'EarlierTransaction',
  path: 'earlier-transactions',
  about:
    'What happened to a boarded loan at its previous servicer, as that servicer reported it. Payments and fees of a replayed history are listed with the payments and fees of the loan.',
  area: 'loans',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: [],

  fields: {
    id: uuid.readonly(),
    loan_id: uuid.readonly(),
    transaction_id: text.readonly().describe("The previous servicer's number of the transaction."),
    transaction_date: date.readonly().describe('When it took effect there.'),
    transaction_type: z.enum(TRANSACTION_TYPES).readonly().describe('What happened.'),
    amount: money.nullable().readonly().describe('The amount of money, if any.'),
    principal: signedMoney
      .nullable()
      .readonly()
      .describe('What the previous servicer applied to principal.'),
    interest: signedMoney.nullable().readonly().describe('The same for interest.'),
    fees: signedMoney.nullable().readonly().describe('The same for fees.'),
    reverses: text.nullable().readonly().describe('The transaction that this one undid.'),
    rate: rate.nullable().readonly().describe('The new annual rate.'),
    until: date.nullable().readonly().describe('The new maturity date of a modification.'),
    count: integer.nullable().readonly().describe('A number of installments.'),
    description: prose.nullable().readonly().describe('A note of the previous servicer.'),
    is_replayed: flag.readonly().describe('Whether the loan was recomputed with it.'),
    is_reversed: flag.readonly().describe('Whether a later transaction reversed it.'),
    created_at: timestamp.readonly(),
  },
  filters: ['transaction_type', 'transaction_date', 'is_replayed'],
});
