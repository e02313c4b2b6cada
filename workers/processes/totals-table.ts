import { Big } from 'big.js';
import type { StatusTotals } from '../../sql/books/imports.ts';
import { groupDigits, textTable } from './text-table.ts';

const COLUMNS = ['principal', 'interest', 'fees', 'charged_off'] as const;

/** Control totals as lines of a table, with a last line for all loans. Charged-off amounts are left out if there are none. */
export function totalsTable(totals: readonly StatusTotals[]): string[] {
  const all = COLUMNS.map((column) =>
    totals.reduce((sum, one) => sum.plus(one[column]), new Big(0)),
  );
  const shown = COLUMNS.filter((column, at) => column !== 'charged_off' || !all[at]?.eq(0));
  const rows = [
    ['Status', 'Loans', ...shown.map((column) => capitalized(column))],
    ...totals.map((one) => [
      capitalized(one.status),
      groupDigits(String(one.loans)),
      ...shown.map((column) => groupDigits(one[column])),
    ]),
    [
      'All loans',
      groupDigits(String(totals.reduce((sum, { loans }) => sum + loans, 0))),
      ...shown.map((column) => groupDigits(all[COLUMNS.indexOf(column)]?.toFixed(2) ?? '')),
    ],
  ];
  return textTable(rows);
}

const capitalized = (name: string) =>
  `${name.slice(0, 1).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`;
