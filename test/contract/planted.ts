import type pg from 'pg';
import { resourceNameOf } from '../../api/http/denied-fields.ts';
import type { z } from 'zod';
import type { Route } from '../../api/endpoints/route.ts';
import { fieldsByResource } from '../../api/endpoints/field-vocabulary.ts';

/** A field of a resource whose stored values are unique in this tenant, and the mark that they contain. */
export type Planted = { resource: string; field: string; mark: string };

type Column = {
  table_name: string;
  column_name: string;
  data_type: string;
  sample: string | null;
};
/** A SQL expression for a value by row number, and the mark that identifies it. */
type Seed = { expression: string; mark: string; example: unknown };

/** The forms of planted values. Each group captures the mark of one kind. */
const MARKS = new RegExp(
  [
    String.raw`zq(?<text>\d{4})x`,
    String.raw`(?<![\w.-])77(?<money>\d{4})\d{2}\.13(?!\d)`,
    String.raw`(?<![\w.-])0\.0(?<rate>\d{4})7(?!\d)`,
    String.raw`(?<day>20[5-9]\d-\d\d-\d\d)`,
    String.raw`\+120(?<phone>\d{4})\d{4}(?!\d)`,
    String.raw`(?<![\w.-])8*9(?<digits>\d{4})\d{2}(?![\w.-])`,
    String.raw`(?<![\w.-])9(?<four>\d{3})(?![\w.:-])`,
  ].join('|'),
  'gi',
);

/** The marks of all planted values in a text. */
export function marksIn(text: string): Set<string> {
  const found = new Set<string>();
  for (const { groups = {} } of text.matchAll(MARKS))
    for (const [kind, key] of Object.entries(groups)) if (key) found.add(`${kind} ${key}`);
  return found;
}

/**
 * Depends on the current content: an email stays an email. Null if the type has too few distinct values.
 */
function seedOf({ data_type, sample }: Column, number: number): Seed | null {
  const key = String(number).padStart(4, '0');
  const isLike = (pattern: RegExp) => sample !== null && pattern.test(sample);
  const worded = (before: string, after: string): Seed => ({
    expression: `'${before}' || row || '${after}'`,
    mark: `text ${key}`,
    example: `${before}01${after}`,
  });
  if (data_type === 'numeric') {
    return isLike(/^(0\.\d{3,}|0|1)$/)
      ? { expression: `0.0${key}7`, mark: `rate ${key}`, example: `0.0${key}7` }
      : {
          expression: `('77${key}' || row || '.13')::numeric`,
          mark: `money ${key}`,
          example: `77${key}01.13`,
        };
  }
  if (data_type === 'date' || data_type.startsWith('timestamp')) {
    // Neither the first nor the last day of a month, because other dates can follow from a month.
    const month = Math.floor(number / 26);
    const day = new Date(Date.UTC(2051, month, 2 + (number % 26))).toISOString().slice(0, 10);
    return data_type === 'date'
      ? { expression: `date '${day}'`, mark: `day ${day}`, example: day }
      : {
          expression: `timestamptz '${day} 12:00Z'`,
          mark: `day ${day}`,
          example: `${day}T12:00:00.000Z`,
        };
  }
  const text = worded(`Zq${key}x`, '');
  if (data_type === 'ARRAY')
    return { ...text, expression: `array[${text.expression}]`, example: [text.example] };
  if (data_type !== 'text' && !data_type.startsWith('character')) return null;
  if (isLike(/^[A-Z]{2}$/)) return null;
  if (isLike(/@/)) return worded(`zq${key}x`, '@mail.example');
  if (isLike(/^https:/)) return worded(`https://zq${key}x`, '.example.com');
  if (isLike(/^\+\d+$/)) return { ...worded(`+120${key}00`, ''), mark: `phone ${key}` };
  if (isLike(/^\d{4}$/)) {
    const digits = `9${key.slice(1)}`;
    return { expression: `'${digits}'`, mark: `four ${key.slice(1)}`, example: digits };
  }
  if (isLike(/^\d{7,}$/)) {
    const length = String(sample).length;
    return {
      expression: `lpad('9${key}' || row, ${length}, '8')`,
      mark: `digits ${key}`,
      example: `9${key}01`.padStart(length, '8'),
    };
  }
  return isLike(/^\d+$/) ? null : text;
}

/**
 * Whether the resource's answers accept such a value in any row. A text may be an enum, need a certain form
 * or end with a check digit.
 */
function isShownSo(routes: readonly Route[], resource: string, field: string, example: unknown) {
  const replies = routes.filter((route) => route.resource === resource && route.reply);
  return replies.every(({ reply }) => {
    const { shape } = reply as { shape?: Record<string, z.ZodType> };
    const own = shape?.[field];
    const others =
      typeof example === 'string'
        ? [example.replace(/01$/, '02'), example.replace(/01$/, '03')]
        : [];
    return own === undefined || [example, ...others].every((value) => own.safeParse(value).success);
  });
}

const COLUMNS = `
  select column_set.table_name, column_set.column_name, column_set.data_type
  from information_schema.columns as column_set
  join pg_class as class
    on class.relname = column_set.table_name and class.relnamespace = 'public'::regnamespace
  where column_set.table_schema = 'public' and not class.relispartition
    and column_set.is_generated = 'NEVER'
    and (select count(*) from information_schema.columns as other
         where other.table_schema = 'public' and other.table_name = column_set.table_name
           and other.column_name in ('id', 'tenant_id')) = 2
  order by 1, 2`;

/**
 * Plants unique values into every column that a staff resource shows under its own name. Triggers and
 * foreign keys are off. A column whose checks refuse the value stays unchanged.
 */
export async function plant(
  owner: pg.Pool,
  tenantId: string,
  routes: readonly Route[],
  isPlantable: (column: Column) => boolean,
): Promise<Planted[]> {
  const client = await owner.connect();
  const planted: Planted[] = [];
  const fields = fieldsByResource(routes);
  try {
    await client.query("set session_replication_role = 'replica'");
    const { rows } = await client.query<Column>(COLUMNS);
    const shown = rows.filter(
      (column) =>
        fields.get(resourceNameOf(column.table_name))?.get(column.column_name)?.size === 0 &&
        isPlantable(column),
    );
    for (const [at, column] of shown.entries()) {
      const { table_name: table, column_name: name } = column;
      const known = await client.query<{ sample: string }>(
        `select "${name}"::text as sample from "${table}"
         where tenant_id = $1 and "${name}" is not null limit 1`,
        [tenantId],
      );
      const seed = seedOf({ ...column, sample: known.rows[0]?.sample ?? null }, at + 1);
      if (seed === null || !isShownSo(routes, resourceNameOf(table), name, seed.example)) continue;
      const { rowCount } = await client
        .query(
          `with numbered as (
             select id, lpad((row_number() over (order by id desc) % 100)::text, 2, '0') as row
             from "${table}" where tenant_id = $1
           )
           update "${table}" as target set "${name}" = ${seed.expression}
           from numbered where target.tenant_id = $1 and target.id = numbered.id`,
          [tenantId],
        )
        .catch(() => ({ rowCount: 0 }));
      if (rowCount) planted.push({ resource: resourceNameOf(table), field: name, mark: seed.mark });
    }
  } finally {
    await client.query("set session_replication_role = 'origin'");
    client.release();
  }
  return planted;
}
