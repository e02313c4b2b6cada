import type { FragmentSqlToken } from 'slonik';
import { sql } from '../database/db.ts';

/**
 * What the lines of drafts come to, by account, of the lines that `within` leaves. All lines less these
 * are the posted ones: drafts are few, and no line need be looked for among them.
 */
export const draftAmounts = (within: FragmentSqlToken) => sql.fragment`
  select line.account_id, sum(line.debit - line.credit) as amount
  from journal_entries as draft
  join journal_lines as line
    on line.tenant_id = draft.tenant_id and line.entry_id = draft.id
  where draft.status = 'draft' ${within}
  group by line.account_id
`;

/** Of lines up to the end of a day. */
export const datedThrough = (day: string) => sql.fragment`and line.entry_date <= ${day}`;

/** What each account with lines holds at the end of a day: debits less credits. */
export const balancesAt = (day: string) => sql.fragment`
  select whole.account_id, whole.amount - coalesce(drafted.amount, 0) as amount
  from (
    select line.account_id, sum(line.debit - line.credit) as amount
    from journal_lines as line where true ${datedThrough(day)}
    group by line.account_id
  ) as whole
  left join (${draftAmounts(datedThrough(day))}) as drafted on drafted.account_id = whole.account_id
`;
