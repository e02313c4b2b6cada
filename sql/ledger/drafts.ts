import { sql, type Transaction } from '../database/db.ts';

export type EntryDraft = {
  entry_date: string;
  description: string | null;
  reference_type: string;
  loan_id: string | null;
  created_by: string | null;
};

export type EntryDraftLine = {
  account_id: string;
  debit: string;
  credit: string;
  description: string | null;
};

/**
 * Writes a draft and its lines with one statement, and returns its id. Each line takes the role of its
 * account, from the chart or the loan's terms.
 */
export const writeDraft = (tx: Transaction, draft: EntryDraft, lines: readonly EntryDraftLine[]) =>
  tx.one(sql.typeAlias('id')`
    with entry as (
      insert into journal_entries (
        entry_date, effective_date, description, reference_type, loan_id, source, status, created_by
      )
      values (
        ${draft.entry_date}, ${draft.entry_date}, ${draft.description}, ${draft.reference_type},
        ${draft.loan_id}, 'manual', 'draft', ${draft.created_by}
      )
      returning id, entry_date
    ), written as (
      insert into journal_lines (
        entry_id, entry_date, account_id, role, position, debit, credit, description
      )
      select entry.id, entry.entry_date, account.id,
             coalesce(account.role, (
               select mapped.key from loans as loan
               cross join jsonb_each_text(loan.terms -> 'gl_map') as mapped
               where loan.id = ${draft.loan_id} and mapped.value = account.id::text
               order by mapped.key limit 1
             )),
             line.position, (line.value ->> 'debit')::numeric,
             (line.value ->> 'credit')::numeric, line.value ->> 'description'
      from entry
      cross join jsonb_array_elements(${JSON.stringify(lines)}::jsonb)
        with ordinality as line (value, position)
      join ledger_accounts as account on account.id = (line.value ->> 'account_id')::uuid
    )
    select id from entry
  `);

/** Serializes posting and reversing the entry. */
export const serializeEntryChanges = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`select from journal_entries where id = ${id} for update`);

export const markPosted = (tx: Transaction, id: string, by: string | null) =>
  tx.query(sql.typeAlias('void')`
    update journal_entries set status = 'posted', posted_at = now(), posted_by = ${by}
    where id = ${id} and status = 'draft'
  `);

export const loanExists = (tx: Transaction, id: string) =>
  tx.exists(sql.typeAlias('void')`select from loans where id = ${id}`);
