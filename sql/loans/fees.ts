import { sql, type Transaction } from '../db.ts';
import { table } from '../table.ts';

export const fees = table({
  name: 'fees',
  rows: sql.fragment`
    select record.id, record.loan_id, record.fee_type, record.description, record.amount,
           record.amount_paid, record.amount_waived,
           case when record.status = 'reversed' then 0.00
             else record.amount - record.amount_paid - record.amount_waived - record.amount_moved
           end as outstanding_amount,
           record.assessed_date, record.effective_date, record.due_date, record.installment_number,
           record.payment_id, record.status,
           record.amount_moved > 0 and exists (
             select from loan_events as event
             where event.loan_id = record.loan_id and event.kind = 'capitalization'
           ) as is_capitalized,
           record.waived_at, record.waived_by, record.waive_reason,
           (
             select entry.id from loan_events as event
             join journal_entries as entry
               on entry.reference_id = event.id and entry.reference_type = 'fee_assessment'
             where event.loan_id = record.loan_id and event.kind = 'fee'
               and event.details ->> 'fee_id' = record.id::text
             order by entry.id limit 1
           ) as journal_entry_id,
           record.created_at, record.updated_at
    from fees as record
  `,
});

/** Who waived of the fee, when and why; how much is waived follows from the loan's history. */
export const markWaived = (
  tx: Transaction,
  id: string,
  { by, reason }: { by: string | null; reason: string },
) =>
  tx.query(sql.typeAlias('void')`
    update fees set waived_at = now(), waived_by = ${by}, waive_reason = ${reason} where id = ${id}
  `);
