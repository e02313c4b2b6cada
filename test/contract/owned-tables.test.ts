import { expect, test } from 'vitest';
import { OWNER_KEYS } from '../../sql/table.ts';
import { tablesDeclaring } from '../setup/declared-tables.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const owned = tablesDeclaring('owner').flatMap(({ name, owner }) =>
  owner ? [{ name, owner }] : [],
);

test('a table that declares an owner has the owner’s column', async () => {
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
