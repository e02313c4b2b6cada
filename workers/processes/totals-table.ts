import { Big } from 'big.js';
import type { StatusTotals } from '../../sql/books/imports.ts';

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
      grouped(String(one.loans)),
      ...shown.map((column) => grouped(one[column])),
    ]),
    [
      'All loans',
      grouped(String(totals.reduce((sum, { loans }) => sum + loans, 0))),
      ...shown.map((column) => grouped(all[COLUMNS.indexOf(column)]?.toFixed(2) ?? '')),
    ],
  ];
  const widths =
    rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  '),
  );
}

const capitalized = (name: string) =>
  `${name.slice(0, 1).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`;

/** With a comma between thousands: 17,120.44. */
function grouped(number: string): string {
  const [whole = '', decimals] = number.split('.');
  const groups: string[] = [];
  for (let end = whole.length; end > 0; end -= 3)
    groups.unshift(whole.slice(Math.max(0, end - 3), end));
  return `${groups.join(',')}${decimals === undefined ? '' : `.${decimals}`}`;
}
