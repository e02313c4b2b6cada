import type { Client } from 'pg';
import { DAY } from './world.ts';

type Column = {
  name: string;
  type: string;
  isNullable: boolean;
  hasDefault: boolean;
  isUsuallyTrue: boolean;
  /** The table whose ids the column holds. */
  parent: string | null;
  /** The values that a check lists. */
  values: string[] | null;
};

/** Columns of a table in the order of their numbers, without generated ones. */
const COLUMNS = `
  select quote_ident(attname) as name, format_type(coalesce(nullif(typbasetype, 0), atttypid), null) as type,
         not (attnotnull or typnotnull) as "isNullable", atthasdef as "hasDefault",
         coalesce(pg_get_expr(adbin, adrelid) = 'true', false) as "isUsuallyTrue",
         (select confrelid::regclass::text from pg_constraint
          where contype = 'f' and conrelid = attrelid and conkey[array_upper(conkey, 1)] = attnum
            and array_length(conkey, 1) <= 2 limit 1) as parent,
         (select array_agg(matched[1])
          from pg_constraint, regexp_matches(pg_get_constraintdef(oid), '''([a-z0-9_]+)''::text', 'g') as matched
          where contype = 'c' and conrelid = attrelid and conkey = array[attnum]) as values
  from pg_attribute join pg_type on pg_type.oid = atttypid
  left join pg_attrdef on adrelid = attrelid and adnum = attnum
  where attrelid = $1::regclass and attnum > 0 and attgenerated = '' and not attisdropped
  order by attnum`;

/**
 * Fills tables with rows of one tenant that lists can filter: statuses, dates, amounts and parents vary. The rows
 * satisfy no other rules, so checks and foreign keys are off. Tables with as many rows already stay as they are.
 * `named` gives the values of columns that have a few without a check, as `table.column`.
 */
export async function fillTables(
  admin: Client,
  tenantId: string,
  tables: readonly string[],
  count: number,
  named: ReadonlyMap<string, readonly string[]>,
) {
  await admin.query('set session_replication_role = replica; set synchronous_commit = off');
  const filled = new Set<string>();
  const fill = async (table: string): Promise<void> => {
    if (filled.has(table)) return;
    filled.add(table);
    const columns = (await admin.query<Column>(COLUMNS, [table])).rows;
    for (const { parent } of columns) if (parent && tables.includes(parent)) await fill(parent);
    const { rows } = await admin.query<{ there: number }>(
      `select count(*)::integer as there from ${table}`,
    );
    const missing = count - (rows[0]?.there ?? 0);
    if (missing > 0) await addRows(admin, { table, columns, missing, tenantId, named });
    await admin.query(`vacuum (analyze) ${table}`);
  };
  for (const table of tables) await fill(table);
  await admin.query('select app.recount_rows(table_name) from app.counted_tables');
  await admin.query('reset session_replication_role');
}

type Filling = {
  table: string;
  columns: readonly Column[];
  missing: number;
  tenantId: string;
  named: ReadonlyMap<string, readonly string[]>;
};

async function addRows(admin: Client, { table, columns, missing, tenantId, named }: Filling) {
  const { rows: checks } = await admin.query<{ drop: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop
     from pg_constraint where contype = 'c' and conrelid = $1::regclass`,
    [table],
  );
  for (const { drop } of checks) await admin.query(drop);
  const parents = [...new Set(columns.flatMap(({ parent }) => parent ?? []))];
  for (const parent of parents) {
    await admin.query(`drop table if exists ids_of_${parent}`);
    await admin.query(
      `create temp table ids_of_${parent} as
       select id, row_number() over (order by id) as number from ${parent}`,
    );
    await admin.query(`create unique index on ids_of_${parent} (number); analyze ids_of_${parent}`);
  }
  const sizes = new Map<string, number>();
  for (const parent of parents) {
    const { rows } = await admin.query<{ size: number }>(
      `select count(*)::integer as size from ids_of_${parent}`,
    );
    sizes.set(parent, rows[0]?.size ?? 0);
  }
  const given = columns.flatMap((column, at) => {
    const value = valueOf(table, column, { at, tenantId, named, sizes });
    return value === null ? [] : [{ name: column.name, value }];
  });
  await admin.query(
    `insert into ${table} (${given.map(({ name }) => name).join(', ')})
     select ${given.map(({ value }) => value).join(', ')} from generate_series(1, ${missing}) as n
     on conflict do nothing`,
  );
}

type Choice = {
  at: number;
  tenantId: string;
  named: Filling['named'];
  sizes: ReadonlyMap<string, number>;
};

/** An expression over `n`, the number of the row. Null to leave the column to its default. */
function valueOf(table: string, column: Column, { at, tenantId, named, sizes }: Choice) {
  const { name, type, isNullable, hasDefault, isUsuallyTrue, parent, values } = column;
  if (name === 'tenant_id') return `'${tenantId}'`;
  if (name === 'created_at') return "now() - n * interval '1 minute'";
  if (parent === null && name === 'id') return type === 'uuid' ? 'uuidv7()' : null;
  /** A number per row and column. */
  const random = `(abs(hashint8(n * 64 + ${at})::bigint))`;
  const known = named.get(`${table}.${name}`) ?? values;
  if (parent !== null) {
    const size = sizes.get(parent) ?? 0;
    if (size === 0) return isNullable ? null : 'uuidv7()';
    return `(select id from ids_of_${parent} where number = 1 + (n * 7 + ${at}) % ${size})`;
  }
  if (known && type === 'text')
    return `(array[${known.map((value) => `'${value}'`).join(', ')}])[1 + ${random} % ${known.length}]`;
  if (type === 'boolean') return `${random} % 10 ${isUsuallyTrue ? '<> 0' : '= 0'}`;
  return plainValue(type, { random, name, isOptional: isNullable || hasDefault });
}

function plainValue(
  type: string,
  { random, name, isOptional }: { random: string; name: string; isOptional: boolean },
) {
  if (type === 'text') return `'${name} ' || n`;
  if (type === 'date') return `date '${DAY}' + 200 - (${random} % 400)::integer`;
  if (type === 'numeric') return `(${random} % 10000)::numeric / 10000`;
  if (type === 'integer' || type === 'bigint' || type === 'smallint')
    return `(${random} % 1000)::${type}`;
  if (type.startsWith('timestamp')) return `now() - (${random} % 500000) * interval '1 minute'`;
  if (type === 'uuid') return isOptional ? null : 'uuidv7()';
  if (isOptional) return null;
  if (type === 'jsonb') return "'{}'";
  if (type === 'bytea') return 'sha256(n::text::bytea)';
  if (type === 'text[]') return "'{}'";
  if (type === 'inet') return "'192.0.2.1'";
  return 'null';
}
