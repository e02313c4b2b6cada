import { z } from 'zod';
import { sql, type Transaction } from '../db.ts';
import { table } from '../table.ts';

export const disbursements = table({
  name: 'disbursements',
  rows: sql.fragment`
    select record.id, record.loan_id, record.amount, record.disbursement_date, record.method,
           record.payment_instrument_id, record.payee_name, record.payee_type,
           record.reference_number, record.fee_deducted, record.net_amount, record.status,
           (
             select entry.id from loan_events as event
             join journal_entries as entry
               on entry.reference_id = event.id and entry.reference_type = 'disbursement'
             where event.loan_id = record.loan_id and event.kind = 'disbursement'
               and event.details ->> 'disbursement_id' = record.id::text
             order by entry.id limit 1
           ) as journal_entry_id,
           record.created_at, record.updated_at
    from disbursements as record
  `,
});

/** The disbursement that was written last. */
export const lastDisbursement = (tx: Transaction, loanId: string) =>
  tx.oneFirst(sql.type(z.object({ id: z.string() }))`
    select id from disbursements where loan_id = ${loanId} order by id desc limit 1
  `);
