import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';
import { AMOUNT_MAX, narrowSum, wideSum } from '../wide-sums.ts';

export const yearEnds = table({
  name: 'year_ends',
  rows: sql.fragment`
    select record.id, record.fiscal_year_end,
           coalesce(record.net_income, record.wide_net_income) as net_income,
           record.journal_entry_id, record.closed_by, record.created_at
    from year_ends as record
  `,
});

/** The last day of the latest fiscal year that ended by the day and was closed; null if there is none. */
export async function lastYearEnd(tx: Transaction, day: string): Promise<string | null> {
  const { ended } = await tx.one(sql.type(z.object({ ended: z.string().nullable() }))`
    select max(fiscal_year_end) as ended from year_ends where fiscal_year_end <= ${day}
  `);
  return ended;
}

const EndedYear = z.object({
  net_income: z.string().nullable(),
  wide_net_income: z.string().nullable(),
  journal_entry_id: z.string().nullable(),
});

const EARNED = sql.fragment`earned.amount`;

/**
 * Moves the balances of income and expense accounts at the end of the day to retained earnings, by one
 * entry of that day. Returns the net income. An amount too large for one line is moved by several lines.
 */
export const closeToRetainedEarnings = (
  tx: Transaction,
  id: string,
  day: string,
  by: string | null,
) =>
  tx.one(sql.type(EndedYear)`
    with net as (
      select account.id, account.code, sum(line.debit - line.credit) as amount
      from posted_lines as line join ledger_accounts as account on account.id = line.account_id
      where line.entry_date <= ${day} and account.account_type in ('revenue', 'expense')
      group by account.id, account.code having sum(line.debit - line.credit) <> 0
    ), earned as (
      select coalesce(-sum(amount), 0.00) as amount from net
    ), entry as (
      insert into journal_entries
        (entry_date, effective_date, description, reference_type, reference_id, source, status,
         posted_at, posted_by, created_by)
      select ${day}::date, ${day}::date, 'Year end of ' || ${day}, 'year_end', ${id}::uuid, 'system',
             'posted', now(), ${by}::uuid, ${by}::uuid
      where exists (select from net)
      returning id, entry_date
    ), lines as (
      insert into journal_lines (entry_id, entry_date, account_id, role, position, debit, credit)
      select entry.id, entry.entry_date, moved.account_id, moved.role,
             row_number() over (order by moved.role nulls first, moved.code, part.number),
             case when moved.amount < 0 then part.amount else 0 end,
             case when moved.amount > 0 then part.amount else 0 end
      from entry
      cross join (
        select id as account_id, null as role, code, amount from net
        union all
        select retained.id, retained.role, retained.code, earned.amount
        from earned join ledger_accounts as retained on retained.role = 'retained_earnings'
        where earned.amount <> 0
      ) as moved
      cross join lateral (
        select number, least(abs(moved.amount) - (number - 1) * ${AMOUNT_MAX}::numeric, ${AMOUNT_MAX}::numeric) as amount
        from generate_series(1, ceil(abs(moved.amount) / ${AMOUNT_MAX}::numeric)::integer) as number
      ) as part
    )
    select ${narrowSum(EARNED)} as net_income, ${wideSum(EARNED)} as wide_net_income,
           (select id from entry) as journal_entry_id
    from earned
  `);
