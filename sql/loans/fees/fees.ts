import { z } from 'zod';
import { sql, type Transaction } from '../../database/db.ts';
import { table } from '../../table.ts';

export const fees = table({
  name: 'fees',
  owner: 'loans',
  rows: sql.fragment`
    select record.id, record.loan_id, loan.borrower_id, record.fee_type, record.description, record.amount,
           record.amount_paid, record.amount_waived,
           case when record.status = 'reversed' then 0.00
             else record.amount - record.amount_paid - record.amount_waived - record.amount_reclassified
           end as outstanding_amount,
           record.assessed_date, record.effective_date, record.due_date, record.installment_number,
           record.payment_id, record.draw_id, record.fee_rule_id, record.treatment, record.status,
           record.amount_reclassified > 0 and (record.treatment = 'capitalized' or exists (
             select from loan_events as event
             where event.loan_id = record.loan_id and event.kind = 'capitalization' and event.reversed_by is null
           )) as is_capitalized,
           record.waived_at, record.waived_by, record.waive_reason,
           (
             select entry.id from loan_events as event
             join journal_entries as entry
               on entry.reference_id = event.id
                 and entry.reference_type in ('fee_assessment', 'disbursement')
             -- Fees that a disbursement pays or capitalizes are booked with it.
             where event.loan_id = record.loan_id and case event.kind
               when 'fee' then event.details ->> 'fee_id' = record.id::text
               when 'disbursement' then event.details -> 'fees'
                 @> jsonb_build_array(jsonb_build_object('fee_id', record.id))
             end
             order by entry.id limit 1
           ) as journal_entry_id,
           record.created_at, record.updated_at
    from fees as record left join loans as loan on loan.id = record.loan_id
  `,
});

/** Records who waived the fee, when and why. The waived amount follows from the loan's events. */
export const markWaived = (
  tx: Transaction,
  id: string,
  { by, reason }: { by: string | null; reason: string },
) =>
  tx.query(sql.typeAlias('void')`
    update fees set waived_at = now(), waived_by = ${by}, waive_reason = ${reason} where id = ${id}
  `);

/** Removes the note of a waiver that was withdrawn. */
export const clearLegalWaiver = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`
    update fees set waived_at = null, waived_by = null, waive_reason = null where id = ${id}
  `);

/** The loan's late fees, and the product rule that each of them follows. */
export const listLateFeeRules = (tx: Transaction, loanId: string) =>
  tx.any(sql.type(z.object({ id: z.string(), fee_rule_id: z.string().nullable() }))`
    select id, fee_rule_id from fees where loan_id = ${loanId} and fee_type = 'late'
  `);
