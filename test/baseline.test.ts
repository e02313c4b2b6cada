import { readdirSync } from 'node:fs';
import { Pool } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { BASELINE_FILES, baselineFiles } from '../sql/database/baseline.ts';
import { openPool } from '../sql/database/db.ts';
import { migrate } from '../sql/database/migrate.ts';
import { isSchemaCurrent } from '../sql/database/readiness.ts';
import { cloneDatabase } from './setup/database.ts';

const FOLDER = new URL('../sql/schema/', import.meta.url);
const baseline = baselineFiles();

const database = await cloneDatabase();
const superuser = new Pool({ connectionString: database.url, max: 1 });
afterAll(async () => {
  await superuser.end();
  await database.drop();
});

const byName = (one: string, other: string) => (one < other ? -1 : 1);

/**
 * The baseline's statements that start a line, by the object that they define: 'table loans', 'index
 * loans_created'.
 */
const DEFINITION =
  /^create (?:unique |constraint )?(table|view|index|function|procedure|domain) ((?:[\w.]+)(?:\s*\([^)]*\))?)|^create (?:constraint )?(trigger|policy) (\w+)[^;]*? on ([\w.]+)/gm;

const definitions = baseline.flatMap(({ text }) =>
  [...text.matchAll(DEFINITION)].map(([, kind = '', name = '', onTable, own, table]) => {
    if (onTable) return `${onTable} ${own} on ${table}`;
    const isOverloadable = kind === 'function' || kind === 'procedure';
    return `${kind} ${isOverloadable ? name.replaceAll(/\s+/g, ' ') : name.split(/[\s(]/)[0]}`;
  }),
);

test('the baseline applies every file of sql/schema', () => {
  expect(BASELINE_FILES.toSorted(byName)).toEqual(readdirSync(FOLDER).toSorted(byName));
});

test('the baseline defines each object once, in its final form', () => {
  const twice = definitions.filter((name, index) => definitions.indexOf(name) !== index);
  const changes = baseline.flatMap(
    ({ text }) =>
      text.match(
        /^(?:drop |create or replace |alter table [^;]*?\b(?:add column|drop|rename)).*/gm,
      ) ?? [],
  );

  expect(definitions.length).toBeGreaterThan(300);
  expect([...twice, ...changes]).toEqual([]);
});

test('all tables and functions of the database are in the baseline', async () => {
  const texts = baseline.map(({ text }) => text).join('\n');
  const { rows } = await superuser.query<{ name: string }>(`
    select 'table ' || case relnamespace when 'app'::regnamespace then 'app.' else '' end || relname as name
    from pg_class
    where relnamespace in ('app'::regnamespace, 'public'::regnamespace) and relkind in ('r', 'p')
      and not relispartition and relname <> 'schema_migrations'
    union
    select 'function ' || pronamespace::regnamespace || '.' || proname from pg_proc as proc
    where pronamespace in ('app'::regnamespace, 'public'::regnamespace) and prokind = 'f'
      and not exists (select from pg_depend where objid = proc.oid and deptype = 'e')
      -- call app.maintain_counts writes these.
      and proname not in (select 'count_' || table_name from app.counted_tables)`);
  const names = rows.map(({ name }) => name);

  expect(
    names.filter(
      (name) => !texts.includes(`create ${name} (`) && !texts.includes(`create ${name}(`),
    ),
  ).toEqual([]);
});

test('every function body is valid on the finished schema', async () => {
  await superuser.query(`
    do $$ declare definition text; begin
      set local role servicing_owner;
      for definition in
        select pg_get_functiondef(proc.oid) from pg_proc as proc
        where pronamespace in ('app'::regnamespace, 'public'::regnamespace) and prokind in ('f', 'p')
          and proowner = 'servicing_owner'::regrole
          and not exists (select from pg_depend where objid = proc.oid and deptype = 'e')
      loop
        execute definition;
      end loop;
    end $$`);
});

test('two runners on a fresh database wait for each other, and another baseline is refused', async () => {
  const name = `fresh_${process.pid}`;
  await superuser.query(`create database ${name}`);
  const url = database.url.replace(/[^/]+$/, name);
  const fresh = await openPool(url, { role: 'servicing_owner', size: 1 });
  try {
    const applied = await Promise.all([migrate(url), migrate(url)]);
    const current = await isSchemaCurrent(fresh);
    const client = new Pool({ connectionString: url, max: 1 });
    await client.query(
      `update schema_migrations set checksum = 'another' where name = '0000_baseline'`,
    );
    await client.end();

    expect(applied.flat().filter((step) => step === '0000_baseline')).toHaveLength(1);
    expect(current).toBe(true);
    await expect(migrate(url)).rejects.toThrow('This database has another baseline');
    expect(await isSchemaCurrent(fresh)).toBe(false);
  } finally {
    await fresh.end();
    await superuser.query(`drop database ${name} with (force)`);
  }
});
