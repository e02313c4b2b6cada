import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { z } from 'zod';
import { andCommit, prepared, sql, deferred, type Transaction } from './database/db.ts';
import { DEFERRED } from './database/driver.ts';
import { serialize } from './database/serialize.ts';
import { containsPattern, type Row, type Table } from './table.ts';

export type Comparison = 'in' | 'ne' | 'gte' | 'lte' | 'gt' | 'lt' | 'icontains' | 'isnull';
export type Condition = {
  field: string;
  comparison: Comparison;
  values: string[];
  /**
   * The Postgres type that the field is compared as. It comes from the declaration, never from a client.
   */
  type: string;
};

/** A list request. Every field name in it has been checked against a declaration. */
export type ListRequest = {
  conditions: Condition[];
  words?: string;
  sort: { field: string; descending: boolean; nullable?: boolean };
  offset: number;
  limit: number;
};

/**
 * One page of a table's rows, and the total number of matching rows. Wraps the table's visible select, so
 * no column is built here. Equal sort values are ordered by id. With `isLast` no statement follows, so the
 * transaction may be committed with the last statement.
 */
export async function listRows(
  tx: Transaction,
  table: Table,
  request: ListRequest,
  isLast = false,
) {
  const where = whereOf(table, request);
  // Lists pass values between statements through transaction settings, so concurrent lists of one
  // transaction must not overlap.
  if (table.own)
    return serialize(tx, 'list', () => listByIds(tx, table, request, { where, isLast }));
  const rows = (await tx.any(wholePage(table, request, where))) as readonly Row[];
  return { rows, total: await countOf(tx, table, request, where, rows.length) };
}

/**
 * Finds the page's ids and the total first, then computes the expensive columns for the page's rows only,
 * by a statement that is planned once. Postgres passes the ids and the total to the second statement
 * through settings, so both are sent together.
 */
async function listByIds(
  tx: Transaction,
  table: Table,
  request: ListRequest,
  { where, isLast }: { where: SqlFragment; isLast: boolean },
) {
  const { words, offset, limit } = request;
  const isBare = isOwnColumns(table, requestedFields(request)) && words === undefined;
  const placed = isBare
    ? selectPage(table, request, where)
    : selectPageWithTotal(table, request, where);
  const isPlannedOnce = isBare && isPreparable(table, request);
  await tx.query(isPlannedOnce ? deferred(placed) : Object.freeze({ ...placed, name: DEFERRED }));
  const isFirst = offset === 0 && limit > 0;
  const asked = isLast && isFirst ? andCommit(rowsOf(table)) : prepared(rowsOf(table));
  const rows = (await tx.any(asked)) as readonly (Row & { in_all: number | null })[];
  const total = rows.length > 0 || isFirst ? rows[0]?.in_all : await tx.oneFirst(IN_ALL);
  return { rows, total: total ?? offset + rows.length };
}

const wholePage = (
  { rows }: Table,
  { sort, limit, offset }: ListRequest,
  where: SqlFragment,
) => sql.unsafe`
  select * from (${rows}) as row where ${where}
  order by ${orderOf(sort)} limit ${limit} offset ${offset}
`;

/** Settings of the transaction: the ids of the page, in order, and the total. */
const PAGE = sql.fragment`current_setting('app.page')::uuid[]`;
const COUNT = sql.fragment`nullif(current_setting('app.in_all'), '')::integer`;
const IN_ALL = sql.type(z.object({ in_all: z.int().nullable() }))`select ${COUNT} as in_all`;

/** Each row also carries the total; null if the page itself determines it. */
const rowsOf = ({ rows }: Table) => sql.unsafe`
  select row.*, ${COUNT} as in_all from unnest(${PAGE}) with ordinality as place (id, position)
  join (${rows}) as row on row.id = place.id
  order by place.position
`;

const storePage = ({ sort }: ListRequest, count: SqlFragment) => sql.fragment`
  select set_config('app.page', coalesce(
           (select array_agg(row.id order by ${orderOf(sort)}) from page as row)::text, '{}'
         ), true),
         set_config('app.in_all', coalesce((${count})::text, ''), true)
`;

/**
 * The cheapest source for these fields: the bare table if all are own columns, the computed select if it
 * has them, otherwise the full select.
 */
function sourceOf(table: Table, fields: readonly string[]) {
  const { name, own = [], computed, rows } = table;
  if (isOwnColumns(table, fields)) return sql.identifier([name]);
  const isComputed = fields.every(
    (field) => own.includes(field) || computed?.fields.includes(field),
  );
  return computed && isComputed ? sql.fragment`(${computed.rows})` : sql.fragment`(${rows})`;
}

const sortColumns = ({ sort }: ListRequest) =>
  sql.join(
    [...new Set(['id', sort.field])].map((field) => sql.identifier(['row', field])),
    sql.fragment`, `,
  );

/** If the page is not full, it determines the total and nothing is counted. */
function selectPage(table: Table, request: ListRequest, where: SqlFragment) {
  const { limit, offset, sort } = request;
  const isTelling =
    offset === 0 ? sql.fragment`rows < ${limit}` : sql.fragment`rows between 1 and ${limit - 1}`;
  const inAll = hasStoredCount(table, request)
    ? storedCount(table, where)
    : sql.fragment`select count(*) from ${sourceOf(table, requestedFields(request))} as row where ${where}`;
  const count = sql.fragment`
    select (${inAll})
    from (select count(*)::integer as rows from page) as page where not (${isTelling})
  `;
  return sql.unsafe`
    with page as materialized (
      select ${sortColumns(request)} from ${sourceOf(table, [...requestedFields(request), sort.field])} as row
      where ${where} order by ${orderOf(sort)} ${sliceOf(request)}
    )
    ${storePage(request, count)}
  `;
}

/**
 * A filter on computed fields or a search needs all matches for the page, so they are materialized once and
 * counted from there.
 */
const selectPageWithTotal = (table: Table, request: ListRequest, where: SqlFragment) => sql.unsafe`
  with found as materialized (
    select ${sortColumns(request)} from ${sourceOf(table, [...requestedFields(request), request.sort.field])} as row
    where ${where}
  ),
  page as materialized (
    select * from found as row order by ${orderOf(request.sort)} ${sliceOf(request)}
  )
  ${storePage(request, sql.fragment`select count(*) from found`)}
`;

const requestedFields = ({ conditions, words }: ListRequest) => [
  ...conditions.map(({ field }) => field),
  ...(words ? ['q'] : []),
];

/** Filters on counted columns apply to row_counts with the same SQL. */
const hasStoredCount = ({ counted }: Table, { conditions }: ListRequest) =>
  counted !== undefined &&
  conditions.every(({ field }) => (counted as readonly string[]).includes(field));

const storedCount = ({ name }: Table, where: SqlFragment) => sql.fragment`
  select coalesce(sum(row.rows), 0) from row_counts as row where row.table_name = ${name} and ${where}
`;

const isOwnColumns = ({ own = [] }: Table, fields: readonly string[]) =>
  own.length > 0 && fields.every((field) => own.includes(field));

/** Common page sizes are literals, so that the plan takes them into account. */
const SIZES = new Map([
  [10, sql.fragment`limit 10`],
  [25, sql.fragment`limit 25`],
  [50, sql.fragment`limit 50`],
  [100, sql.fragment`limit 100`],
]);

const sliceOf = ({ limit, offset }: ListRequest) =>
  (offset === 0 && SIZES.get(limit)) || sql.fragment`limit ${limit} offset ${offset}`;

/** The few variants that nearly all lists use. Other variants are too numerous to prepare. */
const isPreparable = ({ filters = {} }: Table, { conditions, words, sort }: ListRequest) =>
  words === undefined &&
  (sort.field === 'created_at' || sort.field === 'id') &&
  conditions.length <= 2 &&
  conditions.every(({ field, comparison }) => comparison === 'in' && !(field in filters));

/** An unnecessary `nulls last` would keep Postgres from using an index on (… desc). */
function orderOf({ field: name, descending, nullable = true }: ListRequest['sort']): SqlFragment {
  const field = sql.identifier(['row', name]);
  if (!descending) return sql.fragment`${field} asc, row.id asc`;
  return nullable
    ? sql.fragment`${field} desc nulls last, row.id desc`
    : sql.fragment`${field} desc, row.id desc`;
}

async function countOf(
  tx: Transaction,
  { rows }: Table,
  { offset, limit }: ListRequest,
  where: SqlFragment,
  found: number,
): Promise<number> {
  if (found < limit && (found > 0 || offset === 0)) return offset + found;
  return Number(
    await tx.oneFirst(sql.unsafe`select count(*) from (${rows}) as row where ${where}`),
  );
}

function whereOf(table: Table, { conditions, words }: ListRequest): SqlFragment {
  const clauses = conditions.map((condition) => clauseOf(table, condition));
  if (words && table.search) clauses.push(table.search(words));
  return clauses.length === 0
    ? sql.fragment`true`
    : sql.fragment`(${sql.join(clauses, sql.fragment`) and (`)})`;
}

function clauseOf(table: Table, { field, comparison, values, type }: Condition): SqlFragment {
  const special = table.filters?.[field];
  if (special && comparison === 'in') return special(values);
  if (special && comparison === 'ne') return sql.fragment`(${special(values)}) is not true`;
  const column = sql.identifier(['row', field]);
  if (comparison === 'isnull') {
    return values[0] === 'true'
      ? sql.fragment`${column} is null`
      : sql.fragment`${column} is not null`;
  }
  if (comparison === 'in') {
    if (type === 'bool' && values.length === 1)
      return values[0] === 'true' ? sql.fragment`${column}` : sql.fragment`not ${column}`;
    if (type === 'jsonb') return sql.fragment`${column} ?| ${sql.array(values, 'text')}`;
    // With a single value, Postgres knows that the matches are in the order of an index.
    if (values.length === 1) return sql.fragment`${column} = ${values[0] ?? ''}::${cast(type)}`;
    return sql.fragment`${column} = any(${sql.array(values, 'text')}::${cast(type)}[])`;
  }
  if (comparison === 'ne' && type === 'jsonb')
    return sql.fragment`(${column} ?| ${sql.array(values, 'text')}) is not true`;
  const value = values[0] ?? '';
  if (comparison === 'icontains') {
    return sql.fragment`${column}::text ilike ${containsPattern(value)}`;
  }
  return sql.fragment`${column} ${OPERATORS[comparison]} ${value}::${cast(type)}`;
}

const cast = (type: string) => sql.identifier([type]);
const OPERATORS = {
  ne: sql.fragment`is distinct from`,
  gte: sql.fragment`>=`,
  lte: sql.fragment`<=`,
  gt: sql.fragment`>`,
  lt: sql.fragment`<`,
} as const;
