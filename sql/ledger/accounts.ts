import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { prepared, sql, type Transaction } from '../database/db.ts';
import { containsPattern, table } from '../table.ts';
import { draftAmounts, datedThrough } from './account-balances.ts';

export const accounts = table({
  name: 'ledger_accounts',
  rows: sql.fragment`
    select record.id, record.code, record.name, record.account_type,
           case when record.account_type in ('asset', 'expense') then 'debit' else 'credit' end
             as normal_balance,
           record.parent_id, record.description, record.is_header, record.is_active, record.role,
           record.created_at, record.updated_at
    from ledger_accounts as record
  `,
  search: (words) => sql.fragment`
    row.name ilike ${containsPattern(words)} or row.code ilike ${containsPattern(words)}
  `,
});

const Balance = z.object({
  account_id: z.string(),
  code: z.string(),
  name: z.string(),
  account_type: z.string(),
  normal_balance: z.string(),
  balance: z.string(),
  balance_with_children: z.string(),
  as_of: z.string(),
});

/**
 * The account's balance at the end of a day, positive on its normal side; its balance over all days if none
 * is given.
 */
export const readAccountBalance = (tx: Transaction, id: string, day: string | null) =>
  tx.maybeOne(balanceOf(id, day === null ? sql.fragment`` : datedThrough(day)));

const balanceOf = (id: string, within: FragmentSqlToken) =>
  prepared(sql.type(Balance)`
    with recursive family as (
      select account.id from ledger_accounts as account where account.id = ${id}
      union all
      select child.id from ledger_accounts as child join family on child.parent_id = family.id
    ), drafted as (
      ${draftAmounts(within)}
    ), posted as (
      select family.id, held.amount - coalesce(drafted.amount, 0) as amount
      from family
      -- Account by account, so that Postgres uses the covering index.
      cross join lateral (
        select sum(debit - credit) as amount from journal_lines as line
        where line.account_id = family.id ${within}
      ) as held
      left join drafted on drafted.account_id = family.id
    ), sums as (
      select coalesce(sum(amount) filter (where id = ${id}), 0.00) as own,
             coalesce(sum(amount), 0.00) as whole
      from posted
    )
    select row.id as account_id, row.code, row.name, row.account_type, row.normal_balance,
           case row.normal_balance when 'debit' then own else -own end as balance,
           case row.normal_balance when 'debit' then whole else -whole end
             as balance_with_children,
           now() as as_of
    from (${accounts.rows}) as row cross join sums
    where row.id = ${id}
  `);

const LockedAccount = z.object({
  id: z.string(),
  account_type: z.string(),
  is_header: z.boolean(),
  is_active: z.boolean(),
});
export type LockedAccount = z.output<typeof LockedAccount>;

/**
 * Facts about accounts that an entry uses. The lock keeps them from being deactivated until the transaction
 * ends.
 */
export const lockAccounts = (tx: Transaction, ids: readonly string[]) =>
  tx.any(sql.type(LockedAccount)`
    select id, account_type, is_header, is_active from ledger_accounts
    where id = any(${sql.array(ids, 'uuid')}) order by id for share
  `);

/**
 * Whether a product or loan maps a role to the account. Waits for transactions that are changing such a
 * mapping; later ones see the account as this transaction leaves it.
 */
export async function isMappedByLoans(tx: Transaction, id: string): Promise<boolean> {
  await tx.query(sql.typeAlias('void')`select from ledger_accounts where id = ${id} for update`);
  return tx.exists(sql.typeAlias('void')`
    select from products
    where exists (select from jsonb_each_text(gl_map) where value = ${id})
    union all
    select from loans
    where concat(terms -> 'gl_map', terms -> 'previous_gl_maps') like ${`%${id}%`}
  `);
}
