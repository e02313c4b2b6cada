import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { z } from 'zod';
import { clausesOf, type Clauses } from './conditions.ts';
import { andCommit, prepared, sql, deferred, type Transaction } from './database/db.ts';
import { DEFERRED } from './database/driver.ts';
import { serialize } from './database/serialize.ts';
import type { Condition, Ordered, OrderedPart, Row, Table } from './table.ts';

/** A list request. Every field name in it has been checked against a declaration. */
export type ListRequest = {
  conditions: Condition[];
  words?: string;
  /** The facts that the search may use. Default: all of the table. */
  also_searched?: readonly string[];
  sort: { field: string; descending: boolean; nullable?: boolean };
  offset: number;
  limit: number;
};

/** A request with its conditions as SQL, and its order if another table stores the sorted field. */
type Query = ListRequest & { table: Table; clauses: Clauses; ordered: Ordered | undefined };

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
  const day = await dayOf(tx, table, request);
  const query: Query = {
    ...request,
    table,
    clauses: clausesOf(table, request, day),
    ordered: table.orders?.[request.sort.field]?.(day, request.sort.descending),
  };
  // Lists pass values between statements through transaction settings, so concurrent lists of one
  // transaction must not overlap.
  if (table.own) return serialize(tx, 'list', () => listByIds(tx, query, isLast));
  const rows = (await tx.any(wholePage(query))) as readonly Row[];
  return { rows, total: await countOf(tx, query, rows.length) };
}

/**
 * The business date, read only if the list depends on it. It is passed as a value, so that Postgres plans for
 * this day: most rows of the outlook are for later days.
 */
async function dayOf(tx: Transaction, table: Table, { conditions, sort }: ListRequest) {
  const isDated =
    table.orders?.[sort.field] ?? conditions.some(({ field }) => table.lookups?.[field]);
  if (!isDated) return sql.fragment`null::date`;
  return sql.fragment`${await tx.oneFirst(BUSINESS_DATE)}::date`;
}

const BUSINESS_DATE = prepared(sql.type(z.object({ day: z.string() }))`
  select app.business_date() as day
`);

/**
 * Finds the page's ids and the total first, then computes the expensive columns for the page's rows only,
 * by a statement that is planned once. Postgres passes the ids and the total to the second statement
 * through settings, so both are sent together.
 */
async function listByIds(tx: Transaction, query: Query, isLast: boolean) {
  const { table, offset, limit } = query;
  const placed = pageOf(query);
  await tx.query(
    isPreparable(query) ? deferred(placed) : Object.freeze({ ...placed, name: DEFERRED }),
  );
  const isFirst = offset === 0 && limit > 0;
  const asked = isLast && isFirst ? andCommit(rowsOf(table)) : prepared(rowsOf(table));
  const rows = (await tx.any(asked)) as readonly (Row & { in_all: number | null })[];
  const total = rows.length > 0 || isFirst ? rows[0]?.in_all : await tx.oneFirst(IN_ALL);
  return { rows, total: total ?? offset + rows.length };
}

/**
 * Chooses the cheapest way to read the page and its total. A search, or a filter that finds few rows, reads all
 * matches anyway and counts them.
 */
function pageOf(query: Query) {
  const { words, sort, ordered, clauses, table } = query;
  const isBare = isOwnColumns(table, requestedFields(query));
  const isBareSort = ordered !== undefined || isOwnColumns(table, [sort.field]);
  if (!isBare || words !== undefined) return selectPageWithTotal(query);
  // The index that sorts by the field also finds its values.
  const isSorted = ordered?.groups && clauses.found.includes(sort.field);
  if (clauses.found.length > 0 && isBareSort && !isSorted) return selectPageWithTotal(query);
  return selectPage(query, ordered ? pageInParts(query, ordered) : pageInOrder(query));
}

const wholePage = ({ table: { rows }, clauses, ...request }: Query) => sql.unsafe`
  select * from (${rows}) as row where ${clauses.where}
  order by ${orderOf(request.sort)} limit ${request.limit} offset ${request.offset}
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

/** The bare table if all fields are own columns, otherwise the full select. */
const sourceOf = (table: Table, fields: readonly string[]) =>
  isOwnColumns(table, fields) ? sql.identifier([table.name]) : sql.fragment`(${table.rows})`;

const sortColumns = ({ sort }: ListRequest) =>
  sql.join(
    [...new Set(['id', sort.field])].map((field) => sql.identifier(['row', field])),
    sql.fragment`, `,
  );

/** If the page is not full, it determines the total and nothing is counted. */
function selectPage(query: Query, page: SqlFragment) {
  const { limit, offset } = query;
  const isTelling =
    offset === 0 ? sql.fragment`rows < ${limit}` : sql.fragment`rows between 1 and ${limit - 1}`;
  const count = sql.fragment`
    select (${totalOf(query)})
    from (select count(*)::integer as rows from page) as page where not (${isTelling})
  `;
  return sql.unsafe`with ${page} ${storePage(query, count)}`;
}

/** The page, sorted by an index or by Postgres. */
const pageInOrder = (query: Query) => sql.fragment`
  page as materialized (
    select ${sortColumns(query)}
    from ${sourceOf(query.table, [...requestedFields(query), query.sort.field])} as row
    where ${query.clauses.where} order by ${orderOf(query.sort)} ${sliceOf(query)}
  )
`;

/**
 * The page, sorted by indexes of another table. Each part returns at most the rows up to the end of the page. A
 * group is read only if the groups before it do not fill the page.
 */
function pageInParts(query: Query, { all, groups = [[all]] }: Ordered) {
  const { sort, clauses, offset, limit } = query;
  const reach = sql.fragment`${offset + limit}`;
  const isRestEmpty = clauses.found.includes(sort.field);
  const read = groups.map((parts) => parts.filter(({ isRest }) => !isRest || !isRestEmpty));
  const named = read.map((parts, group) =>
    parts.map((part, at) => ({ part, name: sql.identifier([`part_${group}_${at}`]) })),
  );
  const selectPart = ({ part }: (typeof named)[number][number], group: number) => {
    const before = named.slice(0, group).flat();
    const given = before.map(({ name }) => sql.fragment`(select count(*) from ${name})`);
    const isNeeded =
      given.length === 0
        ? NO_CONDITION
        : sql.fragment`${sql.join(given, sql.fragment` + `)} < ${reach}`;
    return sql.fragment`
      ${selectPartOf(query, part)} where ${clauses.where} and ${part.where ?? NO_CONDITION} and ${isNeeded}
      order by ${partOrder(sort, part)} limit ${reach}
    `;
  };
  const selected = named.flatMap((parts, group) =>
    parts.map((each) => ({ ...each, select: selectPart(each, group) })),
  );
  return sql.fragment`
    ${sql.join(
      selected.map(({ name, select }) => sql.fragment`${name} as materialized (${select})`),
      sql.fragment`, `,
    )},
    page as materialized (
      select * from (${sql.join(
        selected.map(({ name }) => sql.fragment`select * from ${name}`),
        sql.fragment` union all `,
      )}) as row
      order by ${orderOf(sort)} ${sliceOf(query)}
    )
  `;
}

const NO_CONDITION = sql.fragment`true`;

const selectPartOf = ({ table, sort }: Query, { joins, value }: OrderedPart) => sql.fragment`
  select row.id, ${value} as ${sql.identifier([sort.field])}
  from ${sql.identifier([table.name])} as row ${joins ?? sql.fragment``}
`;

/** Such a column is never null, and `nulls last` would keep Postgres from using its index. */
function partOrder({ descending }: ListRequest['sort'], { value, index }: OrderedPart) {
  const id = sql.fragment`row.id ${direction(descending)}`;
  if (index)
    return sql.fragment`${index.column} ${direction(descending !== index.isReversed)}, ${id}`;
  return sql.fragment`${value} ${direction(descending)} nulls last, ${id}`;
}

const direction = (isDescending: boolean) =>
  isDescending ? sql.fragment`desc` : sql.fragment`asc`;

/** Finds all matches once, counts them and sorts them. */
const selectPageWithTotal = (query: Query) => sql.unsafe`
  with found as materialized (${selectMatches(query)} where ${query.clauses.where}),
  page as materialized (
    select * from found as row order by ${orderOf(query.sort)} ${sliceOf(query)}
  )
  ${storePage(query, sql.fragment`select count(*) from found`)}
`;

function selectMatches(query: Query) {
  const { table, sort, ordered } = query;
  const fields = requestedFields(query);
  if (ordered && isOwnColumns(table, fields)) return selectPartOf(query, ordered.all);
  return sql.fragment`
    select ${sortColumns(query)} from ${sourceOf(table, [...fields, sort.field])} as row
  `;
}

/** The fields of the conditions, without those that lookups search elsewhere. */
const requestedFields = ({ table, conditions, words }: Query) => [
  ...conditions.map(({ field }) => field).filter((field) => !table.lookups?.[field]),
  ...(words ? ['q'] : []),
];

/** The number of matching rows: stored, derived from a stored number, or counted. */
function totalOf(query: Query): SqlFragment {
  const { table, conditions, words, clauses } = query;
  if (hasStoredCount(table, conditions, words)) return storedCount(table, clauses.where);
  const { exclusion } = clauses;
  const others = conditions.filter((condition) => condition !== exclusion?.condition);
  if (!exclusion || !hasStoredCount(table, others, words)) return countIn(query, clauses.where);
  const { where } = clausesOf(table, { conditions: others }, sql.fragment`null`);
  return sql.fragment`
    (${storedCount(table, where)}) - (${countIn(query, sql.fragment`${where} and ${exclusion.found}`)})
  `;
}

const countIn = (query: Query, where: SqlFragment) => sql.fragment`
  select count(*) from ${sourceOf(query.table, requestedFields(query))} as row where ${where}
`;

/** Filters on counted columns apply to row_counts with the same SQL. */
const hasStoredCount = (
  { counted }: Table,
  conditions: readonly Condition[],
  words: string | undefined,
) =>
  counted !== undefined &&
  words === undefined &&
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
const isPreparable = ({ table, conditions, words, sort }: Query) =>
  words === undefined &&
  (sort.field === 'created_at' || sort.field === 'id') &&
  isOwnColumns(
    table,
    conditions.map(({ field }) => field),
  ) &&
  conditions.length <= 2 &&
  conditions.every(({ field, comparison }) => comparison === 'in' && !table.filters?.[field]);

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
  { table: { rows }, clauses, offset, limit }: Query,
  found: number,
): Promise<number> {
  if (found < limit && (found > 0 || offset === 0)) return offset + found;
  return Number(
    await tx.oneFirst(sql.unsafe`select count(*) from (${rows}) as row where ${clauses.where}`),
  );
}
