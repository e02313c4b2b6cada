import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const FOLDER = new URL('../schema/', import.meta.url);

/**
 * The files of sql/schema/ in the order in which they are applied. A file may use tables and types of
 * earlier files. A foreign key to a later table is at the end of that table's file.
 */
export const BASELINE_FILES = [
  'foundation.sql',
  'borrower-data.sql',
  'tenants.sql',
  'queue.sql',
  'operations.sql',
  'users.sql',
  'borrowers.sql',
  'sanctions.sql',
  'ledger.sql',
  'loans.sql',
  'payments.sql',
  'business-day.sql',
  'documents.sql',
  'collateral.sql',
  'portfolios.sql',
  'communications.sql',
  'mailing.sql',
  'webhooks.sql',
  'cases.sql',
  'portal.sql',
  'credit-reporting.sql',
  'reconciliations.sql',
  'books.sql',
  'book-exports.sql',
  'privacy.sql',
  'counts.sql',
  'sandbox.sql',
  'planner.sql',
];

export type SchemaFile = { name: string; text: string };

export const BASELINE = '0000_baseline';

export const baselineFiles = (): SchemaFile[] =>
  BASELINE_FILES.map((name) => ({ name, text: readFileSync(new URL(name, FOLDER), 'utf8') }));

export const checksumOf = (files: readonly SchemaFile[]): string => {
  const hash = createHash('sha256');
  for (const { text } of files) hash.update(text);
  return hash.digest('hex');
};
