import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { sql } from './database/db.ts';
import { containsPattern, type Condition, type Table } from './table.ts';

export type Clauses = {
  /** All conditions, on the alias `row`. */
  where: SqlFragment;
  /** The fields whose lookups find the matching rows. */
  found: readonly string[];
  /** A condition that holds for all rows except those that a lookup finds. */
  exclusion: { condition: Condition; found: SqlFragment } | null;
};

type Filters = {
  conditions: readonly Condition[];
  words?: string;
  also_searched?: readonly string[];
};

/** Translates the conditions and the words of a list as of a business date. */
export function clausesOf(
  table: Table,
  { conditions, words, also_searched = table.also_searched ?? [] }: Filters,
  day: SqlFragment,
): Clauses {
  const clauses: SqlFragment[] = [];
  const looked: ({ condition: Condition } & ReturnType<LookupOf>)[] = [];
  for (const condition of conditions) {
    const found = table.lookups?.[condition.field]?.(condition, day);
    if (found) looked.push({ condition, ...found });
    else clauses.push(clauseOf(table, condition));
  }
  if (words && table.search) {
    const filtered = conditions.map(({ field }) => field);
    clauses.push(table.search(words, (fact) => also_searched.includes(fact), filtered));
  }
  for (const { isFound, isExcluded } of looked)
    clauses.push(isExcluded ? sql.fragment`not ${isFound}` : isFound);
  const excluded = looked.find(({ isExcluded }) => isExcluded);
  return {
    where: every(clauses),
    found: looked.filter(({ isExcluded }) => !isExcluded).map(({ condition: { field } }) => field),
    exclusion: excluded ? { condition: excluded.condition, found: excluded.isFound } : null,
  };
}

type LookupOf = NonNullable<Table['lookups']>[string];

const every = (clauses: readonly SqlFragment[]) =>
  clauses.length === 0
    ? sql.fragment`true`
    : sql.fragment`(${sql.join(clauses, sql.fragment`) and (`)})`;

function clauseOf(table: Table, condition: Condition): SqlFragment {
  const { field, comparison, values } = condition;
  const special = table.filters?.[field];
  // An empty list is no row. With `ne`, one value is given.
  if (special && comparison === 'in' && values.length === 0) return sql.fragment`false`;
  if (special && comparison === 'in') return special.where(values);
  if (special && comparison === 'ne') return sql.fragment`(${special.where(values)}) is not true`;
  return compare(sql.identifier(['row', field]), condition);
}

/** Compares a column as the condition says. */
export function compare(
  column: SqlFragment | ReturnType<typeof sql.identifier>,
  { comparison, values, type }: Omit<Condition, 'field'>,
): SqlFragment {
  if (comparison === 'isnull') {
    return values[0] === 'true'
      ? sql.fragment`${column} is null`
      : sql.fragment`${column} is not null`;
  }
  if (comparison === 'in') {
    if (type === 'bool' && values.length === 1)
      return values[0] === 'true' ? sql.fragment`${column}` : sql.fragment`not ${column}`;
    if (type === 'jsonb') return sql.fragment`${column} ?| ${sql.array(values, 'text')}`;
    // With a single value, Postgres can use the order of an index for the matches.
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
