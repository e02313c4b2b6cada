import { globSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Table } from '../../sql/table.ts';

const root = path.resolve(import.meta.dirname, '../..');
const modules = await Promise.all(
  globSync('sql/*/*.ts', { cwd: root }).map(
    (file) => import(pathToFileURL(path.join(root, file)).href) as Promise<Record<string, unknown>>,
  ),
);

/** The tables that sql/ exports and that declare the property. */
export function tablesDeclaring<Property extends keyof Table>(property: Property) {
  const declares = (value: unknown): value is Table & Required<Pick<Table, Property>> =>
    typeof value === 'object' && value !== null && 'rows' in value && property in value;
  return modules.flatMap((module) => Object.values(module)).filter(declares);
}
