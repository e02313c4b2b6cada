import type { BookRow } from '../book-files.ts';
import type { TransactionType } from '../../../loans/boarding/history-input.ts';
import { contradiction, missingValue, type Issue } from './issue.ts';

type Needed = 'amount' | 'rate' | 'count' | 'description';

/** The column that a type of transaction cannot do without. */
const NEEDS: Partial<Record<TransactionType, Needed>> = {
  payment: 'amount',
  disbursement: 'amount',
  draw: 'amount',
  fee: 'amount',
  late_fee: 'amount',
  service_credit: 'amount',
  recovery: 'amount',
  rate_change: 'rate',
  deferment: 'count',
  note: 'description',
};

const UNDOES: readonly TransactionType[] = ['payment_reversal', 'fee_waiver'];

/** The rules of one transaction. */
export function checkHistoryRow(row: BookRow<'history'>, { today }: { today: string }): Issue[] {
  const issues: Issue[] = [];
  const { type, amount, rate, until, count } = row;
  if (row.date > today) issues.push(contradiction('date', 'Must not be in the future.'));
  const needed = NEEDS[type];
  if (needed !== undefined && row[needed] === undefined)
    issues.push(missingValue(needed, `Is required for the type ${type}.`));
  const changes = [amount, rate, until, count];
  if (type === 'modification' && changes.every((value) => value === undefined))
    issues.push(
      missingValue('amount', 'A modification needs a new amount, rate, last due date or count.'),
    );
  if (row.reverses !== undefined && !UNDOES.includes(type))
    issues.push(
      contradiction('reverses', `Only a ${UNDOES.join(' or a ')} names another transaction.`),
    );
  if (row.reverses === row.transaction_id)
    issues.push(
      contradiction('reverses', 'Names the transaction itself. Name the one that it undoes.'),
    );
  return issues;
}
