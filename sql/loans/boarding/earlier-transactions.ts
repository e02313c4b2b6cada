import { sql } from '../../database/db.ts';
import { table } from '../../table.ts';
import { batchedInsert } from '../../write.ts';

/** What happened to boarded loans at their previous servicers, the latest first. */
export const earlierTransactions = table({
  name: 'earlier_transactions',
  owner: 'loans',
  rows: sql.fragment`
    select record.id, record.loan_id, record.transaction_id, record.transaction_date, record.transaction_type,
           record.amount, record.principal, record.interest, record.fees, record.reverses,
           trim_scale(record.rate) as rate, record.until, record.count, record.description,
           record.event_id is not null as is_replayed,
           exists (
             select from earlier_transactions as later
             where later.loan_id = record.loan_id and later.transaction_type = 'payment_reversal'
               and later.reverses = record.transaction_id
           ) as is_reversed,
           record.created_at
    from earlier_transactions as record
  `,
});

export const addEarlierTransaction = batchedInsert('earlier_transactions');
