import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { z } from 'zod';
import { prepared, sql, type Transaction } from './database/db.ts';
import { containing, type Row, type Table } from './table.ts';

export type Comparison = 'in' | 'ne' | 'gte' | 'lte' | 'gt' | 'lt' | 'icontains' | 'isnull';
export type Condition = {
  field: string;
  comparison: Comparison;
  values: string[];
  /** The Postgres type that the field is compared as; from the declaration, never from a client. */
  type: string;
};

/** What a list asks for; every field name in it has been checked against a declaration. */
export type ListRequest = {
  conditions: Condition[];
  words?: string;
  sort: { field: string; descending: boolean; nullable?: boolean };
  offset: number;
  limit: number;
};

/**
 * One page of a table's rows and how many there are in all. The visible select of the table is
 * wrapped, so no column is ever built here, and equal sort values are ordered by id.
 */
export async function list(tx: Transaction, table: Table, request: ListRequest) {
  const where = whereOf(table, request);
  if (table.own) return listByIds(tx, table, request, where);
  const rows = (await tx.any(wholePage(table, request, where))) as readonly Row[];
  return { rows, total: await countOf(tx, table, where, request, rows.length) };
}

const Place = z.object({ id: z.string(), in_all: z.int().nullable() });

/**
 * What is dear to compute, and to plan, is so for the page's rows alone: by their ids, with a statement that
 * is planned once. Which they are the bare table says, where it can. They are counted at the same time.
 */
async function listByIds(tx: Transaction, table: Table, request: ListRequest, where: SqlFragment) {
  const isBare = isOwn(table, [...askedBy(request), request.sort.field]);
  const from = isBare ? sql.identifier([table.name]) : sql.fragment`(${table.rows})`;
  const page =
    isBare && request.words === undefined
      ? placesCounted(from, request, where)
      : placesIn(from, request, where);
  const places = await tx.any(isBare && isUsual(table, request) ? prepared(page) : page);
  const told = places[0]?.in_all;
  const [rows, total] = await Promise.all([
    places.length === 0 ? [] : rowsOf(tx, table, places),
    told ?? countOf(tx, table, where, request, places.length),
  ]);
  return { rows, total };
}

const rowsOf = (tx: Transaction, { rows }: Table, places: readonly z.output<typeof Place>[]) => {
  const ids = sql.array(
    places.map(({ id }) => id),
    'uuid',
  );
  return tx.any(
    prepared(sql.unsafe`
      select row.* from unnest(${ids}) with ordinality as place (id, position)
      join (${rows}) as row on row.id = place.id
      order by place.position
    `),
  ) as Promise<readonly Row[]>;
};

const wholePage = (
  { rows }: Table,
  { sort, limit, offset }: ListRequest,
  where: SqlFragment,
) => sql.unsafe`
  select * from (${rows}) as row where ${where}
  order by ${orderOf(sort)} limit ${limit} offset ${offset}
`;

/** What words are found in is looked for once: all of it has to be known for the page, which tells how many there are. */
const placesIn = (
  from: SqlFragment | ReturnType<typeof sql.identifier>,
  { sort, limit, offset, words }: ListRequest,
  where: SqlFragment,
) => sql.type(Place)`
  select row.id, ${words === undefined ? sql.fragment`null::integer` : sql.fragment`count(*) over ()::integer`} as in_all
  from ${from} as row where ${where}
  order by ${orderOf(sort)} limit ${limit} offset ${offset}
`;

/**
 * The same of what the bare table says, counted along with a page that is full: one that is not says itself
 * how many there are.
 */
const placesCounted = (
  from: SqlFragment | ReturnType<typeof sql.identifier>,
  { sort, limit, offset }: ListRequest,
  where: SqlFragment,
) => {
  const place = new Set(['id', sort.field]);
  const columns = [...place].map((field) => sql.identifier(['row', field]));
  return sql.type(Place)`
    with page as materialized (
      select ${sql.join(columns, sql.fragment`, `)} from ${from} as row where ${where}
      order by ${orderOf(sort)} limit ${limit} offset ${offset}
    )
    select row.id, case when (select count(*) from page) = ${limit}
      then (select count(*) from ${from} as row where ${where})::integer end as in_all
    from page as row order by ${orderOf(sort)}
  `;
};

const askedBy = ({ conditions, words }: ListRequest) => [
  ...conditions.map(({ field }) => field),
  ...(words ? ['q'] : []),
];

const isOwn = ({ own = [] }: Table, fields: readonly string[]) =>
  own.length > 0 && fields.every((field) => own.includes(field));

/** The few forms that nearly all lists have; all others are too many to be kept planned. */
const isUsual = ({ filters = {} }: Table, { conditions, words, sort }: ListRequest) =>
  words === undefined &&
  (sort.field === 'created_at' || sort.field === 'id') &&
  conditions.length <= 2 &&
  conditions.every(({ field, comparison }) => comparison === 'in' && !(field in filters));

/** Said without need, `nulls last` would keep an index on (… desc) from being used. */
function orderOf({ field: name, descending, nullable = true }: ListRequest['sort']): SqlFragment {
  const field = sql.identifier(['row', name]);
  if (!descending) return sql.fragment`${field} asc, row.id asc`;
  return nullable
    ? sql.fragment`${field} desc nulls last, row.id desc`
    : sql.fragment`${field} desc, row.id desc`;
}

/** A page that is not full has said how many rows there are; the rest is counted as barely as it can be. */
async function countOf(
  tx: Transaction,
  table: Table,
  where: SqlFragment,
  request: ListRequest,
  found: number,
): Promise<number> {
  const { offset, limit } = request;
  if (found < limit && (found > 0 || offset === 0)) return offset + found;
  const isBare = isOwn(table, askedBy(request));
  const from = isBare ? sql.identifier([table.name]) : sql.fragment`(${table.rows})`;
  return Number(await tx.oneFirst(sql.unsafe`select count(*) from ${from} as row where ${where}`));
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
    if (type === 'jsonb') return sql.fragment`${column} ?| ${sql.array(values, 'text')}`;
    return sql.fragment`${column} = any(${sql.array(values, 'text')}::${cast(type)}[])`;
  }
  if (comparison === 'ne' && type === 'jsonb')
    return sql.fragment`(${column} ?| ${sql.array(values, 'text')}) is not true`;
  const value = values[0] ?? '';
  if (comparison === 'icontains') {
    return sql.fragment`${column}::text ilike ${containing(value)}`;
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
