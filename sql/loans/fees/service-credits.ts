import { sql } from '../../database/db.ts';
import { table } from '../../table.ts';

export const serviceCredits = table({
  name: 'service_credits',
  owner: 'loans',
  rows: sql.fragment`
    select record.id, record.loan_id, record.amount, record.credit_type, record.reason,
           record.apply_to, record.effective_date, record.sponsor, record.status,
           record.principal_applied, record.interest_applied, record.fees_applied,
           record.created_by,
           (
             select entry.id from journal_entries as entry
             where entry.reference_id = record.id and entry.reference_type = 'service_credit'
             order by entry.id limit 1
           ) as journal_entry_id,
           record.created_at, record.updated_at
    from service_credits as record
  `,
});
