import { listNames, type BookScope, type ExportedRow } from '../../../sql/books/export-rows.ts';
import type { Work } from '../../work.ts';

const NAMES_IDS = /(^|_)(loan|borrower|debtor)_ids?$/;

/**
 * Replaces the ids of loans and people in the facts of cases by the names that the book uses. Those that the book does
 * not have are left out.
 */
export async function nameIds(
  { tx }: Pick<Work, 'tx'>,
  scope: BookScope,
  rows: readonly ExportedRow[],
) {
  const ids = new Set<string>();
  for (const { facts } of rows) mapIds(facts, (id) => (ids.add(id), id));
  const names = new Map((await listNames(tx, scope, [...ids])).map(({ id, name }) => [id, name]));
  return rows.map((row) => ({ ...row, facts: mapIds(row['facts'], (id) => names.get(id)) }));
}

type Rename = (id: string) => string | undefined;

function mapIds(value: unknown, rename: Rename, isId = false): unknown {
  if (typeof value === 'string') return isId ? rename(value) : value;
  if (Array.isArray(value))
    return value.map((part) => mapIds(part, rename, isId)).filter((part) => part !== undefined);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, mapIds(part, rename, NAMES_IDS.test(key))]),
  );
}
