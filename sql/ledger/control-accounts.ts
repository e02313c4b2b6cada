import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { ViolationRow, type Check } from '../invariant-check.ts';

/**
 * The roles of control accounts, which only loan events may move. Their sub-ledger is the loans' balances.
 */
const ROLES = sql.fragment`array[
  'loans_receivable', 'interest_receivable', 'fees_receivable', 'borrower_suspense',
  'due_from_investors', 'due_to_investors'
]`;

/** An account with such a role in the chart, or to which a product or loan maps such a role. */
export const isControl = sql.fragment`
  coalesce(account.role, '') = any(${ROLES})
  or account.role is null and exists (
    select from (
      select gl_map from products where products.tenant_id = account.tenant_id
      union all
      select terms -> 'gl_map' from loans where loans.tenant_id = account.tenant_id
    ) as map
    cross join jsonb_each_text(map.gl_map) as mapped
    where mapped.key = any(${ROLES}) and mapped.value = account.id::text
  )
`;

/** The positions (from 1) of an entry's lines on control accounts. */
export const findControlAccountLines = (tx: Transaction, entryId: string) =>
  tx.anyFirst(sql.type(z.object({ position: z.int() }))`
    select line.position
    from journal_lines as line join ledger_accounts as account on account.id = line.account_id
    where line.entry_id = ${entryId} and (${isControl}) order by line.position
  `);

/** Control accounts must equal the sum of the postings for loans. */
export const controlAccountInvariant: Check = {
  rule: 'control accounts equal their sub-ledgers',
  query: sql.type(ViolationRow)`
    select account.tenant_id, account.id as subject,
           format('Account %s %s has %s that no loan accounts for.', account.code, account.name,
             stray.amount) as message
    from (
      -- Accrual and remittance entries name no loan. Their rows do, and other rules
      -- compare these rows with the entries.
      select line.tenant_id, line.account_id, sum(line.debit - line.credit) as amount
      from journal_entries as entry
      join posted_lines as line
        on line.tenant_id = entry.tenant_id and line.entry_id = entry.id
      where entry.loan_id is null
        and not (entry.source = 'system' and entry.reference_type
          in ('interest_accrual', 'remittance', 'remittance_payment'))
        -- The opening entry of an imported book moves what its boardings credited for want of another account.
        and not (entry.source = 'system' and entry.reference_type = 'book_opening'
          and line.role = 'due_to_investors')
      group by line.tenant_id, line.account_id having sum(line.debit - line.credit) <> 0
    ) as stray
    join ledger_accounts as account
      on account.tenant_id = stray.tenant_id and account.id = stray.account_id
    where ${isControl}
  `,
};
