import { z } from 'zod';
import { NotFound } from '../../jobs/errors.ts';
import { addAccount, changeAccount, postedBySystem } from '../../jobs/ledger/account.ts';
import { accounts as table, readAccountBalance } from '../../sql/ledger/accounts.ts';
import {
  date,
  flag,
  freeText,
  timestamps,
  timestamp,
  uuid,
  requiredText,
} from '../../sql/types.ts';
import { endpoint, resource } from '../endpoints/resource.ts';
import { moneySum } from '../endpoints/money-sum.ts';

const accountType = z.enum(['asset', 'liability', 'equity', 'revenue', 'expense']);
const normalSide = z.enum(['debit', 'credit']);

const accounts = resource({
  name: 'LedgerAccount',
  path: 'ledger/accounts',
  about: 'An account of the general ledger.',
  area: 'ledger',
  table,
  read: 'viewer',
  write: 'admin',
  offers: ['list', 'read', 'create', 'update'],

  fields: {
    id: uuid.readonly(),
    code: requiredText.max(20).describe('The number of the account. Must be unique.'),
    name: requiredText.describe('The name of the account.'),
    account_type: accountType.describe(
      'Decides on which side the account increases, and in which report it appears.',
    ),
    normal_balance: normalSide.readonly().describe('The side on which the account increases.'),
    parent_id: uuid
      .nullish()
      .describe('The account that groups this one. Must have the same type.'),
    description: freeText.nullish().describe('What the account is for.'),
    is_header: flag
      .default(false)
      .describe('A header that groups accounts. Nothing can be posted to it.'),
    is_active: flag
      .default(true)
      .describe(
        'Whether entries can use the account. Accounts to which the system posts must stay active.',
      ),
    role: z
      .string()
      .nullable()
      .readonly()
      .describe('The role of the account in automatic entries.'),
    ...timestamps,
  },
  fixed: ['code', 'account_type', 'parent_id', 'is_header'],
  filters: ['code', 'name', 'account_type', 'parent_id', 'is_header', 'is_active', 'role'],
  sort: { field: 'code', descending: false },

  conflicts: {
    update: () => [postedBySystem()],
  },
  create: addAccount,
  update: changeAccount,
});

const accountBalance = endpoint({
  tag: 'ledger',
  resource: 'ledger/accounts',
  action: 'balance',
  summary: 'Get the balance of an account',
  description: 'Child accounts and drafts are not included.',
  method: 'GET',
  path: '/ledger/accounts/{id}/balance',
  allow: 'viewer',
  transaction: 'read',
  query: z.object({
    as_of_date: date.optional().describe('The last day to include. Default: every day.'),
  }),
  status: 200,
  reply: z
    .object({
      account_id: uuid.describe('The account.'),
      code: z.string().describe('The number of the account.'),
      name: z.string().describe('The name of the account.'),
      account_type: accountType.describe('The type of the account.'),
      normal_balance: normalSide.describe('The side on which the account increases.'),
      balance: moneySum.describe("Positive on the account's normal side. Excludes child accounts."),
      balance_with_children: moneySum.describe('The balance including child accounts.'),
      as_of: timestamp.describe('When the balance was read.'),
      as_of_date: date.nullable().describe('The last day included. Null includes every day.'),
    })
    .meta({ id: 'LedgerAccountBalance' }),
  run: async ({ work, params, query }) => {
    const { as_of_date = null } = query as { as_of_date?: string };
    const found = await readAccountBalance(work.tx, params['id'] ?? '', as_of_date);
    if (found === null) throw new NotFound();
    return { ...found, as_of_date };
  },
});

export const accountRoutes = [...accounts.routes, accountBalance];
