import { z } from 'zod';
import { prepared, sql } from '../database/db.ts';
import { table } from '../table.ts';
import { isInChunk, type LoanChunk } from './chunk.ts';

export const suspenseApplications = table({
  name: 'suspense_applications',
  owner: 'loans',
  rows: sql.fragment`
    select record.id, record.loan_id, record.amount, record.effective_date, record.payment_type,
           record.notes, record.source, record.status, record.principal_applied,
           record.interest_applied, record.fees_applied, record.created_by,
           (
             select entry.id from journal_entries as entry
             where entry.reference_id = record.id and entry.reference_type = 'suspense_application'
             order by entry.id limit 1
           ) as journal_entry_id,
           record.created_at, record.updated_at
    from suspense_applications as record
  `,
});

/** Active loans that have money in suspense and a bill that is due. */
export const loansWithApplicableSuspense = (chunk: LoanChunk) =>
  prepared(sql.type(z.object({ id: z.string() }))`
    select loan.id from loans as loan
    where ${isInChunk(chunk)} and loan.status = 'active' and loan.suspense_balance > 0
      and loan.oldest_unpaid_due_date <= ${chunk.cob_date}
    order by loan.id
  `);
