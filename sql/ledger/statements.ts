import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { balancesAt } from './account-balances.ts';

const Amounts = z.array(
  z.object({
    account_id: z.string().describe('The account.'),
    code: z.string().describe('The number of the account.'),
    name: z.string().describe('The name of the account.'),
    amount: z.string().describe("The amount, positive on the account's normal side."),
  }),
);

export const IncomeStatement = z.object({
  start_date: z.string().describe('The first day included.'),
  end_date: z.string().describe('The last day included.'),
  revenue: Amounts.describe('The revenue accounts.'),
  expenses: Amounts.describe('The expense accounts.'),
  total_revenue: z.string().describe('The sum of the revenue.'),
  total_expenses: z.string().describe('The sum of the expenses.'),
  net_income: z.string().describe('Revenue minus expenses.'),
});

export const BalanceSheet = z.object({
  as_of_date: z.string().describe('The last day included.'),
  assets: Amounts.describe('The asset accounts.'),
  liabilities: Amounts.describe('The liability accounts.'),
  equity: Amounts.describe('The equity accounts.'),
  unclosed_income: z
    .string()
    .describe('Net income that no year end has moved to retained earnings.'),
  total_assets: z.string().describe('The sum of the assets.'),
  total_liabilities: z.string().describe('The sum of the liabilities.'),
  total_equity: z.string().describe('The sum of the equity, with the unclosed income.'),
  total_liabilities_and_equity: z.string().describe('The sum of both. Equal to the assets.'),
});

/** The accounts of a type as rows of the report, without zero amounts. */
const listed = (type: string) => sql.fragment`
  coalesce(json_agg(json_build_object(
    'account_id', id, 'code', code, 'name', name, 'amount', amount::text
  ) order by code) filter (where account_type = ${sql.literalValue(type)} and amount <> 0), '[]')
`;

const total = (type: string) => sql.fragment`
  coalesce(sum(amount) filter (where account_type = ${sql.literalValue(type)}), 0.00)
`;

/** Each account with the sum of its lines, positive on its normal side. */
const amounts = (lines: ReturnType<typeof sql.fragment>) => sql.fragment`
  select account.id, account.code, account.name, account.account_type,
         case when account.account_type in ('asset', 'expense') then net.amount else -net.amount end
           as amount
  from (${lines}) as net join ledger_accounts as account on account.id = net.account_id
`;

/**
 * Income and expense in a range of days. Year-end entries are excluded, because they only move the result.
 */
export const incomeStatement = (tx: Transaction, start: string, end: string) =>
  tx.one(sql.type(IncomeStatement)`
    select ${start}::date as start_date, ${end}::date as end_date,
           ${listed('revenue')} as revenue, ${listed('expense')} as expenses,
           ${total('revenue')} as total_revenue, ${total('expense')} as total_expenses,
           ${total('revenue')} - ${total('expense')} as net_income
    from (${amounts(sql.fragment`
      select line.account_id, sum(line.debit - line.credit) as amount
      from posted_lines as line
      where line.entry_date between ${start} and ${end} and not exists (
        select from year_ends as ended where ended.journal_entry_id = line.entry_id
      )
      group by line.account_id
    `)}) as account
  `);

/**
 * Assets, liabilities and equity at the end of a day. Net income that no year end has moved yet counts as
 * equity.
 */
export const balanceSheet = (tx: Transaction, day: string) =>
  tx.one(sql.type(BalanceSheet)`
    select ${day}::date as as_of_date, assets, liabilities, equity, unclosed_income,
           total_assets, total_liabilities, kept + unclosed_income as total_equity,
           total_liabilities + kept + unclosed_income as total_liabilities_and_equity
    from (
      select ${listed('asset')} as assets, ${listed('liability')} as liabilities,
             ${listed('equity')} as equity, ${total('asset')} as total_assets,
             ${total('liability')} as total_liabilities, ${total('equity')} as kept,
             ${total('revenue')} - ${total('expense')} as unclosed_income
      from (${amounts(balancesAt(day))}) as account
    ) as totals
  `);
