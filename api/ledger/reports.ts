import { z } from 'zod';
import { Invalid, NotFound } from '../../jobs/errors.ts';
import { accounts } from '../../sql/ledger/accounts.ts';
import { loanExists } from '../../sql/ledger/drafts.ts';
import * as reports from '../../sql/ledger/reports.ts';
import { subLedger as subLedgerOf } from '../../sql/ledger/sub-ledger.ts';
import { listRows } from '../../sql/list.ts';
import { find } from '../../sql/table.ts';
import { date, money, uuid } from '../../sql/types.ts';
import { endpoint } from '../endpoints/resource.ts';
import type { Call, Route } from '../endpoints/route.ts';
import { moneySum } from '../endpoints/money-sum.ts';

const reportRouteDefaults = {
  tag: 'ledger',
  method: 'GET',
  allow: 'viewer',
  transaction: 'read',
  is_report: true,
  status: 200,
} as const;

const trialBalance = endpoint({
  ...reportRouteDefaults,
  resource: 'ledger/trial-balance',
  action: 'show',
  summary: 'Get the trial balance at the end of a day',
  description: 'Drafts are not included.',
  path: '/ledger/trial-balance',
  query: z.object({
    as_of_date: date.optional().describe('Default: the business date.'),
    include_zero: z
      .stringbool()
      .default(false)
      .describe('Whether to include accounts without a balance.'),
  }),
  reply: reports.TrialBalance.meta({ id: 'TrialBalance' }),
  run: ({ work, query }: Call) => {
    const { as_of_date = work.today, include_zero } = query as {
      as_of_date?: string;
      include_zero: boolean;
    };
    return reports.trialBalance(work.tx, as_of_date, include_zero);
  },
});

const detailFields = {
  id: uuid.describe('The id of the line.'),
  entry_id: uuid.describe('The entry of the line.'),
  entry_date: date.describe('The booking date.'),
  description: z.string().nullable().describe('The text of the line or entry.'),
  reference_type: z.string().describe('What caused the entry.'),
  reference_id: uuid.nullable().describe('The record that caused the entry.'),
  loan_id: uuid.nullable(),
  debit: money.describe('The debit.'),
  credit: money.describe('The credit.'),
  running_balance: moneySum.describe('The balance of the account after the line.'),
};

const Range = z
  .object({
    account_id: uuid.describe('The account.'),
    start_date: date.optional().describe('The first booking date. Default: no limit.'),
    end_date: date.optional().describe('The last booking date. Default: no limit.'),
  })
  .refine(({ start_date = '', end_date = '9999-12-31' }) => start_date <= end_date, {
    path: ['end_date'],
    message: 'Must not be before start_date.',
  });

const detail = endpoint({
  ...reportRouteDefaults,
  resource: 'ledger/gl-detail',
  action: 'list',
  summary: "List an account's posted lines in a date range",
  description: 'With a running balance, by booking date. Drafts are not included.',
  path: '/ledger/gl-detail',
  query: Range,
  reply: z.object(detailFields).meta({ id: 'LedgerDetail' }),
  list: {
    name: 'gl-detail',
    fields: detailFields,
    filters: ['entry_id', 'reference_type', 'reference_id', 'loan_id'],
    hasSearch: false,
    isArchivable: false,
    sort: { field: 'entry_date', descending: false },
  },
  run: async ({ work, query, list: request }: Call) => {
    const { account_id, start_date = null, end_date = null } = query as z.output<typeof Range>;
    if ((await find(work.tx, accounts, account_id)) === null) {
      throw new Invalid({ account_id: 'Does not exist.' });
    }
    return listRows(
      work.tx,
      reports.accountDetail({ account_id, start_date, end_date }),
      requireListRequest(request),
    );
  },
});

const subLedgerFields = {
  id: uuid.describe('The id of the entry.'),
  entry_date: date.describe('The booking date.'),
  effective_date: date.describe('The day for which it counts on the loan.'),
  description: z.string().nullable().describe('What the entry is for.'),
  reference_type: z.string().describe('What caused the entry.'),
  reference_id: uuid.nullable().describe('The record that caused the entry.'),
  reversal_of_entry_id: uuid.nullable().describe('The entry that it reverses.'),
  lines: z
    .array(
      z.object({
        account: z.string().describe('The name of the account.'),
        account_code: z.string().describe('The number of the account.'),
        debit: money.describe('The debit.'),
        credit: money.describe('The credit.'),
      }),
    )
    .describe('The lines of the entry.'),
};

const subLedger = endpoint({
  ...reportRouteDefaults,
  resource: 'ledger/sub-ledger',
  action: 'list',
  summary: "List a loan's ledger lines, including its share of accrual entries",
  description: 'Shows how the loan got to its ledger balances.',
  path: '/ledger/loans/{loan_id}/sub-ledger',
  query: z.object({
    accruals_by: z
      .enum(['day', 'month'])
      .default('day')
      .describe('Whether interest accruals appear for each day or are added up for each month.'),
  }),
  reply: z.object(subLedgerFields).meta({ id: 'SubLedgerEntry' }),
  list: {
    name: 'sub-ledger',
    fields: subLedgerFields,
    filters: ['entry_date', 'effective_date', 'reference_type', 'reference_id'],
    hasSearch: false,
    isArchivable: false,
    sort: { field: 'entry_date', descending: false },
  },
  run: async ({ work, params, query, list: request }: Call) => {
    const { loan_id = '' } = params;
    const { accruals_by } = query as { accruals_by: 'day' | 'month' };
    if (!(await loanExists(work.tx, loan_id))) throw new NotFound();
    return listRows(work.tx, subLedgerOf(loan_id, accruals_by), requireListRequest(request));
  },
});

function requireListRequest(request: Call['list']) {
  if (request === null) throw new Error('A list endpoint is declared with its list.');
  return request;
}

export const reportRoutes: Route[] = [subLedger, trialBalance, detail];
