import { globSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { OWNER_KEYS, type Table } from '../../sql/table.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const root = path.resolve(import.meta.dirname, '../..');
const modules = await Promise.all(
  globSync('sql/*/*.ts', { cwd: root }).map(
    (file) => import(pathToFileURL(path.join(root, file)).href) as Promise<Record<string, unknown>>,
  ),
);
const isOwned = (value: unknown): value is Table & Required<Pick<Table, 'owner'>> =>
  typeof value === 'object' && value !== null && 'rows' in value && 'owner' in value;
const owned = modules.flatMap((module) => Object.values(module)).filter(isOwned);

test('a table that declares an owner has the column that names it', async () => {
  const { rows } = await stage.owner.query<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns
     where table_schema = 'public'`,
  );
  const columns = new Set(rows.map(({ name }) => name));

  const wrong = owned
    .filter(({ name, owner }) => !columns.has(`${name}.${OWNER_KEYS[owner]}`))
    .map(({ name, owner }) => `${name} has no ${OWNER_KEYS[owner]}. Add it, or change \`owner\``);

  expect(wrong).toEqual([]);
  expect(owned.length).toBeGreaterThan(20);
});
