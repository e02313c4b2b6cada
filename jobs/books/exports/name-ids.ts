import { listNames, type ExportedRow } from '../../../sql/books/export-rows.ts';
import type { Work } from '../../work.ts';

const NAMES_IDS = /(^|_)(loan|borrower|debtor)_ids?$/;

/** Replaces the ids of loans and people in the facts of cases by the names that the book uses. */
export async function nameIds({ tx }: Pick<Work, 'tx'>, rows: readonly ExportedRow[]) {
  const ids = new Set<string>();
  for (const { facts } of rows) mapIds(facts, (id) => (ids.add(id), id));
  const names = new Map((await listNames(tx, [...ids])).map(({ id, name }) => [id, name]));
  return rows.map((row) => ({ ...row, facts: mapIds(row['facts'], (id) => names.get(id) ?? id) }));
}

function mapIds(value: unknown, rename: (id: string) => string, isId = false): unknown {
  if (typeof value === 'string') return isId ? rename(value) : value;
  if (Array.isArray(value)) return value.map((part) => mapIds(part, rename, isId));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, mapIds(part, rename, NAMES_IDS.test(key))]),
  );
}
