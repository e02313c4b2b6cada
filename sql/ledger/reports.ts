import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';
import { balancesAt } from './account-balances.ts';

export const TrialBalance = z.object({
  as_of_date: z.string().describe('The last day included.'),
  accounts: z
    .array(
      z.object({
        account_id: z.string().describe('The account.'),
        code: z.string().describe('The number of the account.'),
        name: z.string().describe('The name of the account.'),
        account_type: z.string().describe('The type of the account.'),
        debit: z.string().describe('The balance, if it is a debit.'),
        credit: z.string().describe('The balance, if it is a credit.'),
      }),
    )
    .describe('The accounts with their balances.'),
  total_debits: z.string().describe('The sum of the debits.'),
  total_credits: z.string().describe('The sum of the credits. Equal to the debits.'),
});

/** Every account's balance at the end of a day, on the side of its net. One statement, so one snapshot. */
export const trialBalance = (tx: Transaction, day: string, includeZero: boolean) =>
  tx.one(sql.type(TrialBalance)`
    with net as (${balancesAt(day)}), shown as (
      select account.id, account.code, account.name, account.account_type,
             greatest(coalesce(net.amount, 0.00), 0.00) as debit,
             greatest(-coalesce(net.amount, 0.00), 0.00) as credit
      from ledger_accounts as account
      left join net on net.account_id = account.id
      where ${includeZero} or net.amount <> 0
    )
    select ${day}::date as as_of_date,
           coalesce(json_agg(json_build_object(
             'account_id', id, 'code', code, 'name', name, 'account_type', account_type,
             'debit', debit::text, 'credit', credit::text
           ) order by code), '[]') as accounts,
           coalesce(sum(debit), 0.00) as total_debits,
           coalesce(sum(credit), 0.00) as total_credits
    from shown
  `);

type Range = { account_id: string; start_date: string | null; end_date: string | null };

/**
 * The posted lines of an account in a range of days. The running balance is on the account's normal side
 * and starts with the balance before the range.
 */
export const accountDetail = ({ account_id, start_date, end_date }: Range) =>
  table({
    name: 'journal_lines',
    rows: sql.fragment`
      select line.id, line.entry_id, line.entry_date,
             coalesce(line.description, entry.description) as description, entry.reference_type,
             entry.reference_id, entry.loan_id, line.debit, line.credit,
             (
               opening.amount + sum(side.sign * (line.debit - line.credit))
                 over (order by line.entry_date, line.id)
             )::numeric(20, 2) as running_balance
      from posted_lines as line
      join journal_entries as entry on entry.id = line.entry_id
      cross join (
        select case when account_type in ('asset', 'expense') then 1 else -1 end as sign
        from ledger_accounts where id = ${account_id}
      ) as side
      cross join lateral (
        select side.sign * coalesce(sum(earlier.debit - earlier.credit), 0.00) as amount
        from posted_lines as earlier
        where earlier.account_id = ${account_id} and earlier.entry_date < ${start_date}::date
      ) as opening
      where line.account_id = ${account_id}
        and (${start_date}::date is null or line.entry_date >= ${start_date}::date)
        and (${end_date}::date is null or line.entry_date <= ${end_date}::date)
    `,
  });
