import { z } from 'zod';
import { date, integer, money, prose, rate, signedMoney, text } from '../../../sql/types.ts';

/** What a transaction at the previous servicer was. */
export const TRANSACTION_TYPES = [
  'payment',
  'payment_reversal',
  'disbursement',
  'draw',
  'fee',
  'late_fee',
  'fee_waiver',
  'rate_change',
  'deferment',
  'modification',
  'service_credit',
  'settlement',
  'charge_off',
  'recovery',
  'note',
] as const;
export type TransactionType = (typeof TRANSACTION_TYPES)[number];

const HISTORY_DEPTHS = ['replayed', 'displayed'] as const;

const TRANSACTIONS_MAX = 2_000;

export const EarlierTransaction = z.strictObject({
  transaction_id: text
    .min(1)
    .max(100)
    .describe("The previous servicer's number of the transaction. Unique within the loan."),
  date: date.describe('When it took effect at the previous servicer.'),
  type: z
    .enum(TRANSACTION_TYPES)
    .describe(
      'What happened. `settlement`: the lender forgave what was left after the payments of this day.',
    ),
  amount: money
    .nullish()
    .describe(
      'The amount of money. For a modification: the new installment. Not for a rate change, a deferment, a settlement or a note.',
    ),
  principal: signedMoney
    .nullish()
    .describe("The previous servicer's split of the amount, kept for comparison."),
  interest: signedMoney.nullish().describe('See `principal`.'),
  fees: signedMoney.nullish().describe('See `principal`.'),
  reverses: text
    .max(100)
    .nullish()
    .describe(
      'The transaction that a payment reversal or a fee waiver undoes. Can be left out if only one fits.',
    ),
  rate: rate.nullish().describe('The new annual rate of a rate change or a modification.'),
  until: date.nullish().describe('For a modification: the new maturity date.'),
  count: integer
    .min(1)
    .max(600)
    .nullish()
    .describe(
      'For a deferment: the number of deferred installments. For a modification: the number of installments from then on.',
    ),
  description: prose.nullish().describe('A note for staff and the borrower.'),
});
export type EarlierTransaction = z.output<typeof EarlierTransaction>;

const Opening = z.strictObject({
  principal_balance: money.describe('The principal on the first day of the history.'),
  accrued_interest: money.nullish().describe('Unpaid interest on that day. Default: none.'),
  outstanding_fees: money.nullish().describe('Unpaid fees on that day. Default: none.'),
  paid_through_date: date
    .nullish()
    .describe('All installments due on or before this day were paid. Default: that day.'),
});

export const HistoryInput = z.strictObject({
  depth: z
    .enum(HISTORY_DEPTHS)
    .default('replayed')
    .describe(
      '`replayed` recomputes the loan from its transactions, so that it can be corrected backwards. `displayed` only shows them to staff and the borrower.',
    ),
  from: date
    .nullish()
    .describe(
      'The day from which the transactions are complete. Default: `origination_date`. Any later day needs `opening`.',
    ),
  opening: Opening.nullish().describe('The balances on `from`, before its transactions.'),
  transactions: z
    .array(EarlierTransaction)
    .max(TRANSACTIONS_MAX)
    .describe(`At most ${TRANSACTIONS_MAX}. Those of one day count in this order.`),
});
export type HistoryInput = z.output<typeof HistoryInput>;
