import { sql, type Transaction } from '../database/db.ts';

export type Mirror = {
  entry_date: string;
  reason: string;
  reference_type: string;
  reference_id: string;
  actor_id: string | null;
};

/**
 * Writes the reversal of a posted entry: the same lines with debits and credits exchanged, posted
 * immediately and linked to the original. The constraint journal_entries_reversed_once rejects a second
 * reversal.
 */
export const writeMirrorEntry = (tx: Transaction, originalId: string, mirror: Mirror) =>
  tx.one(sql.typeAlias('id')`
    with entry as (
      insert into journal_entries (
        entry_date, effective_date, description, reference_type, reference_id, purpose, loan_id,
        source, status, posted_at, posted_by, created_by, reversal_of_entry_id, reversal_reason
      )
      select ${mirror.entry_date}, ${mirror.entry_date},
             'Reversal: ' || coalesce(original.description, original.reference_type),
             ${mirror.reference_type}, ${mirror.reference_id}, original.id::text, original.loan_id,
             original.source, 'posted', now(), ${mirror.actor_id}, ${mirror.actor_id}, original.id,
             ${mirror.reason}
      from journal_entries as original
      where original.id = ${originalId} and original.status = 'posted'
      returning id, entry_date
    ), written as (
      insert into journal_lines (
        entry_id, entry_date, account_id, role, position, debit, credit, description
      )
      select entry.id, entry.entry_date, line.account_id, line.role, line.position, line.credit,
             line.debit, line.description
      from entry
      cross join journal_lines as line
      where line.entry_id = ${originalId}
    )
    select id from entry
  `);
