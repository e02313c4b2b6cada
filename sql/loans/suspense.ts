import { sql } from '../database/db.ts';
import { table } from '../table.ts';

/**
 * The borrower's money in suspense. Each suspense line of the loan in the ledger is an entry, so the list
 * and the ledger cannot differ. A receipt is open until later entries have used it up, oldest first.
 */
export const suspense = table({
  name: 'journal_lines',
  rows: sql.fragment`
    select record.id, record.loan_id, record.payment_id, record.entry_type, record.amount,
           record.balance_after,
           case when record.payment_type = 'fee_only' then 'unapplied' else 'overpayment' end as reason,
           case
             when record.entry_type = 'refund' then 'refunded'
             when record.amount > 0 and record.received > record.used then 'open'
             else 'applied'
           end as status,
           record.entry_date,
           case when record.entry_type = 'application' then record.payment_id end as applied_to_payment_id,
           record.journal_entry_id, record.notes, record.created_at
    from (
      select line.id, entry.loan_id, payment.id as payment_id, payment.payment_type,
             case
               when entry.reference_type = 'reimbursement' then 'refund'
               when entry.reference_type like '%_reversal' then 'reversal'
               when line.credit > 0 then 'receipt'
               else 'application'
             end as entry_type,
             line.credit - line.debit as amount,
             sum(line.credit - line.debit) over by_loan as balance_after,
             sum(line.credit) over by_loan as received,
             sum(line.debit) over (partition by entry.loan_id) as used,
             line.entry_date, entry.id as journal_entry_id, entry.description as notes,
             entry.created_at
      from journal_entries as entry
      join journal_lines as line
        on line.entry_id = entry.id and line.role = 'borrower_suspense'
      -- An entry that corrects an older event has that event as its purpose.
      left join payments as payment
        on payment.loan_id = entry.loan_id
        and payment.id::text = case entry.purpose when '' then entry.reference_id::text else entry.purpose end
      where entry.loan_id is not null and entry.status = 'posted'
      window by_loan as (partition by entry.loan_id order by entry.id, line.id)
    ) as record
  `,
});
