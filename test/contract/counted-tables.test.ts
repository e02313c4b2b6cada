import { expect, test } from 'vitest';
import { tablesDeclaring } from '../setup/declared-tables.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const declared = tablesDeclaring('counted');

const TRIGGERS = `
  select table_name, array_agg(name::text order by name) as triggers from (
    select tgrelid::regclass::text as table_name,
           tgname || coalesce((
             select ' by ' || string_agg(attname, ', ' order by place)
             from unnest(tgattr::int2[]) with ordinality as part (attnum, place)
             join pg_attribute as attribute
               on attribute.attrelid = tgrelid and attribute.attnum = part.attnum
           ), '') as name
    from pg_trigger where tgname like 'count\\_%' and not tgisinternal and tgenabled = 'O'
  ) as trigger group by table_name order by table_name`;

test('exactly the tables that declare counts have the triggers that count them', async () => {
  const { rows: triggers } = await stage.owner.query(TRIGGERS);
  const { rows: known } = await stage.owner.query(
    'select table_name as name, columns as counted from app.counted_tables',
  );
  const byName = (one: { name: string }, other: { name: string }) =>
    one.name < other.name ? -1 : 1;
  const counting = declared.map(({ name, counted }) => ({ name, counted })).toSorted(byName);

  expect(counting.length).toBeGreaterThan(1);
  expect(known.toSorted(byName)).toEqual(counting);
  expect(triggers).toEqual(
    counting.map(({ name, counted }) => ({
      table_name: name,
      triggers: [
        'count_added',
        `count_changed by ${counted.join(', ')}`,
        'count_deleted',
        'count_truncated',
      ],
    })),
  );
});

test('a table’s counts are grouped by its own columns', () => {
  for (const { own = [], counted } of declared)
    expect(own).toEqual(expect.arrayContaining([...counted]));
});
