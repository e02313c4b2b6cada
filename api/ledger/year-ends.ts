import { endFiscalYear, yearAlreadyClosed } from '../../jobs/ledger/end-year.ts';
import { yearEnds as table } from '../../sql/ledger/year-ends.ts';
import { date, timestamp, uuid } from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';
import { moneySum } from '../endpoints/money-sum.ts';

export const yearEnds = resource({
  name: 'YearEnd',
  path: 'ledger/year-ends',
  about: 'The end of a fiscal year.',
  area: 'ledger',
  table,
  read: 'viewer',
  write: 'admin',
  offers: ['list', 'read', 'create'],
  sort: { field: 'fiscal_year_end', descending: true },

  fields: {
    id: uuid.readonly(),
    fiscal_year_end: date.describe(
      'The last day of the year: the end of a month before the business date. Closes the books through it.',
    ),
    net_income: moneySum.readonly().describe('The amount transferred to retained earnings.'),
    journal_entry_id: uuid.nullable().readonly().describe('The entry that moved the income.'),
    closed_by: uuid.nullable().readonly().describe('The user who ended the year.'),
    created_at: timestamp.readonly(),
  },
  filters: ['fiscal_year_end'],

  example: (today) => ({ fiscal_year_end: `${Number(today.slice(0, 4)) - 1}-12-31` }),
  conflicts: {
    create: () => [yearAlreadyClosed('2025-12-31')],
  },
  create: endFiscalYear,
});
