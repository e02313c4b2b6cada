import { addEarlierTransaction } from '../../../sql/loans/boarding/earlier-transactions.ts';
import type { Work } from '../../work.ts';
import type { EarlierTransaction } from './history-input.ts';
import type { TranslatedEvent } from './translate-history.ts';

/**
 * Keeps the transactions of a previous servicer as that servicer reported them. Of a replayed history, it keeps only
 * what the events do not have: notes, and how the previous servicer applied an amount.
 */
export async function keepEarlierTransactions(
  { tx }: Work,
  loan_id: string,
  transactions: readonly EarlierTransaction[],
  translated: readonly TranslatedEvent[] = [],
) {
  const events = new Map(
    translated.map(({ event, transaction }) => [transaction?.transaction_id, event.id]),
  );
  await Promise.all(
    transactions
      .map((transaction, index) => ({ transaction, position: index + 1 }))
      .filter(({ transaction }) => !events.has(transaction.transaction_id) || hasSplit(transaction))
      .map(({ transaction: { date, type, ...row }, position }) =>
        addEarlierTransaction(tx, {
          ...COLUMNS,
          ...row,
          loan_id,
          position,
          transaction_date: date,
          transaction_type: type,
          event_id: events.get(row.transaction_id) ?? null,
        }),
      ),
  );
}

const hasSplit = ({ principal, interest, fees }: EarlierTransaction): boolean =>
  [principal, interest, fees].some((part) => part !== null && part !== undefined);

/** Every row names the same columns, so that they share one statement. */
const COLUMNS = {
  amount: null,
  principal: null,
  interest: null,
  fees: null,
  reverses: null,
  rate: null,
  until: null,
  count: null,
  description: null,
};
