import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { isControl } from '../ledger/control-accounts.ts';

const Imported = z.object({
  id: z.string(),
  code: z.string(),
  /** Only loans may move it. Due to Investors is not among these: boarding credits it for want of another account. */
  is_control: z.boolean(),
  is_due_to_investors: z.boolean(),
  booked: z.string(),
});

/**
 * What the boardings of an import have booked on each account, without what happened to the loans since. A boarding that
 * was corrected later has further entries, which have a purpose.
 */
export const listImportedBalances = (tx: Transaction, importId: string) =>
  tx.any(sql.type(Imported)`
    with booked as (
      select line.account_id, sum(line.debit - line.credit) as amount
      from import_loans as boarded
      join journal_entries as entry on entry.loan_id = boarded.loan_id
        and entry.reference_type = 'boarding' and entry.purpose = '' and entry.status = 'posted'
      join journal_lines as line on line.entry_id = entry.id
      where boarded.import_id = ${importId}
      group by line.account_id
    )
    select account.id, account.code,
           coalesce(account.role, '') <> 'due_to_investors' and (${isControl}) as is_control,
           coalesce(account.role, '') = 'due_to_investors' as is_due_to_investors,
           coalesce(booked.amount, 0.00)::numeric(20, 2) as booked
    from ledger_accounts as account left join booked on booked.account_id = account.id
    where not account.is_header order by account.code
  `);

export const OPENING = 'book_opening';

type Line = { account_id: string; debit: string; credit: string };

/** Posts the entry once for each import. */
export const postOpeningEntry = (
  tx: Transaction,
  importId: string,
  day: string,
  lines: readonly Line[],
) =>
  tx.query(sql.typeAlias('void')`
    with entry as (
      insert into journal_entries (
        entry_date, effective_date, description, reference_type, reference_id, source, status, posted_at
      )
      values (
        ${day}, ${day}, 'Balances brought with a book', ${OPENING}, ${importId}, 'system', 'posted', now()
      )
      on conflict on constraint journal_entries_posted_once do nothing
      returning id, entry_date
    )
    insert into journal_lines (entry_id, entry_date, account_id, role, position, debit, credit)
    select entry.id, entry.entry_date, account.id, account.role, line.position,
           (line.value ->> 'debit')::numeric, (line.value ->> 'credit')::numeric
    from entry
    cross join jsonb_array_elements(${JSON.stringify(lines)}::jsonb) with ordinality as line (value, position)
    join ledger_accounts as account on account.id = (line.value ->> 'account_id')::uuid
  `);
