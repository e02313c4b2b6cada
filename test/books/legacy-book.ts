import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { LegacyLoan } from './legacy-system.ts';

type Line = Readonly<Record<string, unknown>>;

const csv = (columns: readonly string[], lines: readonly Line[]): string =>
  [columns.join(','), ...lines.map((line) => columns.map((name) => line[name] ?? '').join(','))]
    .join('\n')
    .concat('\n');

const LOAN_COLUMNS = [
  ...(['loan_number', 'status', 'principal_amount', 'current_principal_balance'] as const),
  ...(['interest_rate', 'term_months', 'origination_date', 'first_payment_date'] as const),
  ...(['payment_day', 'payment_amount', 'history_from'] as const),
  ...(['borrower_external_id', 'borrower_first_name', 'borrower_last_name'] as const),
  'borrower_state',
] as const;

const FIGURE_COLUMNS = [
  ...(['loan_number', 'as_of_date', 'principal', 'interest', 'fees', 'days_past_due'] as const),
] as const;

/** The files that the legacy system exports. */
export function legacyFiles(loans: readonly LegacyLoan[]): Record<string, string> {
  const linesOf = (name: 'history' | 'figures') =>
    loans.flatMap((loan) => loan[name].map((line) => ({ ...line, loan_number: loan.loan_number })));
  return {
    'loans.csv': csv(
      LOAN_COLUMNS,
      loans.map((loan) => ({
        ...loan,
        status: 'active',
        current_principal_balance: loan.figures.at(-1)?.principal,
        history_from: loan.origination_date,
        borrower_external_id: `B-${loan.loan_number}`,
        borrower_first_name: 'Ada',
        borrower_last_name: 'Lovelace',
        borrower_state: 'NY',
      })),
    ),
    'history.csv': csv(
      ['loan_number', 'transaction_id', 'date', 'type', 'amount'],
      linesOf('history'),
    ),
    'figures.csv': csv(FIGURE_COLUMNS, linesOf('figures')),
  };
}

/** Writes the files into a folder that is removed after the test. */
export function writeBook(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'book-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files))
    writeFileSync(path.join(folder, name), content);
  return folder;
}
