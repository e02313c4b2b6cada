import { z } from 'zod';
import { addDays } from '../../jobs/dates.ts';
import { Invalid } from '../../jobs/errors.ts';
import * as statements from '../../sql/ledger/statements.ts';
import { lastYearEnd } from '../../sql/ledger/year-ends.ts';
import { date } from '../../sql/types.ts';
import { endpoint } from '../endpoints/resource.ts';
import type { Call, Route } from '../endpoints/route.ts';

const statementRouteDefaults = {
  tag: 'ledger',
  action: 'show',
  method: 'GET',
  allow: 'viewer',
  transaction: 'read',
  is_report: true,
  status: 200,
} as const;

const incomeStatement = endpoint({
  ...statementRouteDefaults,
  resource: 'ledger/income-statement',
  summary: 'Get the income statement for a date range',
  description: 'Revenue and expenses by account, without drafts and year ends.',
  path: '/ledger/income-statement',
  query: z.object({
    start_date: date.optional().describe('Default: the first day of the fiscal year.'),
    end_date: date.optional().describe('Default: the business date.'),
  }),
  reply: statements.IncomeStatement.meta({ id: 'IncomeStatement' }),
  run: async ({ work, query }: Call) => {
    const { start_date, end_date = work.today } = query as Record<string, string | undefined>;
    const start = start_date ?? (await firstDayOfYear(work, end_date));
    if (start > end_date) throw new Invalid({ end_date: 'Must not be before start_date.' });
    return statements.incomeStatement(work.tx, start, end_date);
  },
});

/** The day after the previous year end, or the calendar's first day before the first year end. */
async function firstDayOfYear({ tx }: Pick<Call['work'], 'tx'>, day: string) {
  const ended = await lastYearEnd(tx, addDays(day, -1));
  return ended === null ? `${day.slice(0, 4)}-01-01` : addDays(ended, 1);
}

const balanceSheet = endpoint({
  ...statementRouteDefaults,
  resource: 'ledger/balance-sheet',
  summary: 'Get the balance sheet at the end of a day',
  description: 'Net income that no year end has moved yet counts as equity.',
  path: '/ledger/balance-sheet',
  query: z.object({
    as_of_date: date.optional().describe('Default: the business date.'),
  }),
  reply: statements.BalanceSheet.meta({ id: 'BalanceSheet' }),
  run: ({ work, query }: Call) => {
    const { as_of_date = work.today } = query as { as_of_date?: string };
    return statements.balanceSheet(work.tx, as_of_date);
  },
});

export const statementRoutes: Route[] = [incomeStatement, balanceSheet];
