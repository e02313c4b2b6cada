import type { FragmentSqlToken } from 'slonik';
import { sql } from '../database/db.ts';

/**
 * The amounts of draft lines by account, limited by `within`. Posted amounts are all lines less these:
 * drafts are few, so this is cheaper than checking the entry of every line.
 */
export const draftAmounts = (within: FragmentSqlToken) => sql.fragment`
  select line.account_id, sum(line.debit - line.credit) as amount
  from journal_entries as draft
  join journal_lines as line
    on line.tenant_id = draft.tenant_id and line.entry_id = draft.id
  where draft.status = 'draft' ${within}
  group by line.account_id
`;

/** Limits lines to those dated on or before a day. */
export const datedThrough = (day: string) => sql.fragment`and line.entry_date <= ${day}`;

/** The balance of each account with lines at the end of a day: debits less credits. */
export const balancesAt = (day: string) => sql.fragment`
  select whole.account_id, whole.amount - coalesce(drafted.amount, 0) as amount
  from (
    select line.account_id, sum(line.debit - line.credit) as amount
    from journal_lines as line where true ${datedThrough(day)}
    group by line.account_id
  ) as whole
  left join (${draftAmounts(datedThrough(day))}) as drafted on drafted.account_id = whole.account_id
`;
