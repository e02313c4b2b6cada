import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { z } from 'zod';
import { andCommit, prepared, sql, deferred, type Transaction } from './database/db.ts';
import type { TableName } from './tables.ts';

/** A record as read from the database: snake_case columns, amounts as decimal strings. */
export type Row = Record<string, unknown> & { id: string };

type Counted = 'status' | 'is_archived';

/** The tables that own rows of others, and the column by which an owned row names its owner. */
export const OWNER_KEYS = {
  borrowers: 'borrower_id',
  collateral_items: 'collateral_id',
  investors: 'investor_id',
  loans: 'loan_id',
} as const satisfies Partial<Record<TableName, string>>;

/**
 * A table's declaration: its name for writes, and its visible select (`rows`), whose columns are the fields
 * of the resource. `rows` uses the alias `record`.
 */
export type Table = {
  name: TableName;
  rows: SqlFragment;
  /**
   * The table whose row is locked before a row of this one, because changes may affect other records of the
   * same owner. Null if changes only affect the row itself. A resource that is changed below one of
   * `OWNER_KEYS` says which.
   */
  owner?: keyof typeof OWNER_KEYS | null;
  /**
   * Columns of the bare table (alias `row`). A list that filters only by these and by `lookups`, and sorts by
   * these or by `orders`, finds and counts its rows there; only its page uses the joins of `rows`, which must
   * neither add nor remove rows. Include `q` if the search only uses these columns.
   */
  own?: readonly string[];
  /** Filters by fields that another table stores. */
  lookups?: Record<string, Lookup>;
  /** Sorts by fields that another table stores. */
  orders?: Record<string, Order>;
  /**
   * Columns by which triggers count rows in `row_counts` (see `call app.maintain_counts`). A list that
   * filters only by these, or by nothing, does not count rows.
   */
  counted?: readonly Counted[];
  /**
   * The condition of a search for words, over the columns of `rows` (alias `row`). `may` says whether the user may
   * search by a fact of `also_searched`, and `filtered` names the fields by which the list is filtered as well.
   */
  search?: (
    words: string,
    may: (fact: string) => boolean,
    filtered: readonly string[],
  ) => SqlFragment;
  /** The fields that the search always examines. Omit it if all may match. */
  searched?: readonly string[];
  /** Facts that the search also examines if the user may see them: `resource.field`. */
  also_searched?: readonly string[];
  /** How to compare filters that are not plain columns, such as a borrower's status. */
  filters?: Record<string, SpecialFilter>;
  /** The condition of rows that no longer exist for clients, if `rows` excludes them. */
  gone?: SqlFragment;
  /**
   * Whether only the roles of the resource may learn that a record exists. Its audit entries then name neither
   * the borrower nor the loan and keep no reason, so no history or export of these shows them.
   */
  isConfidential?: true;
  /** Columns that must never reach the audit trail or a response. */
  secret?: readonly string[];
};

/** The values that a filter accepts: the listed ones, or all of a type. Default: those of the field with its name. */
export type SpecialValues = { values?: readonly string[]; type?: 'uuid' };
export type SpecialFilter = SpecialValues & { where: (values: string[]) => SqlFragment };

export const table = (declared: Table): Table => declared;

export type Comparison = 'in' | 'ne' | 'gte' | 'lte' | 'gt' | 'lt' | 'icontains' | 'isnull';
export type Condition = {
  field: string;
  comparison: Comparison;
  values: string[];
  /** The Postgres type of the comparison. It comes from the declaration, never from a client. */
  type: string;
};

/** Translates a condition into a search of another table, as of the business date. */
type Lookup = (condition: Condition, day: SqlFragment) => Found;

export type Found = {
  /** Whether an index search finds the row (alias `row`). */
  isFound: SqlFragment;
  /** Set if the condition holds for the rows that are not found. */
  isExcluded?: boolean;
};

/** How to sort by a field of another table, as of the business date. */
type Order = (day: SqlFragment, isDescending: boolean) => Ordered;

export type Ordered = {
  /** All rows, with the field. */
  all: OrderedPart;
  /**
   * The same rows in parts that an index can sort. Each row is in exactly one part. The values of the parts in a
   * group may overlap, and each group comes before the next one.
   */
  groups?: readonly (readonly OrderedPart[])[];
};

export type OrderedPart = {
  /** The rows that no lookup by this field finds. */
  isRest?: true;
  /** Joins to the bare row (alias `row`), which must neither add rows nor repeat them. */
  joins?: SqlFragment;
  where?: SqlFragment;
  /** The field. */
  value: SqlFragment;
  /** The indexed column that sorts the part like the value, or in reverse. Default: Postgres sorts by the value. */
  index?: { column: SqlFragment; isReversed: boolean };
};

/**
 * The row as the API returns it; null if the tenant has no such row. With `isLast`, the commit is sent with
 * it and no statement may follow.
 */
export const find = (
  tx: Transaction,
  { rows }: Pick<Table, 'rows'>,
  id: string,
  isLast = false,
): Promise<Row | null> => {
  const found = sql.unsafe`select * from (${rows}) as row where row.id = ${id}`;
  return tx.maybeOne(isLast ? andCommit(found) : prepared(found)) as Promise<Row | null>;
};

/**
 * Locks the row until the transaction ends, and returns it as of the lock. The lock is a separate
 * statement, because a statement that waited for a lock still sees other rows as they were before it
 * waited.
 */
export async function findLocked(tx: Transaction, table: Table, id: string): Promise<Row | null> {
  await tx.query(deferred(locking(table, id)));
  return find(tx, table, id);
}

/** The owner is always locked first, so that transactions cannot deadlock. */
function locking({ name, owner }: Table, id: string) {
  if (name === 'loans') return sql.typeAlias('void')`select app.lock_loan(${id})`;
  const bare = sql.identifier([name]);
  const keyOf = (owning: keyof typeof OWNER_KEYS) => sql.fragment`(
    select owned.${sql.identifier([OWNER_KEYS[owning]])} from ${bare} as owned where owned.id = ${id}
  )`;
  const first = !owner
    ? sql.fragment`select`
    : owner === 'loans'
      ? sql.fragment`select app.lock_loan(${keyOf(owner)})`
      : sql.fragment`select from ${sql.identifier([owner])} where id = ${keyOf(owner)} for no key update`;
  return sql.typeAlias('void')`
    with first as materialized (${first})
    select from ${bare} as record cross join (select count(*) from first) as held
    where record.id = ${id} for no key update of record
  `;
}

const There = z.object({ is_there: z.boolean() });

export const rowExists = (tx: Transaction, { name, gone }: Table, id: string) =>
  tx.oneFirst(
    prepared(sql.type(There)`
      select exists (
        select from ${sql.identifier([name])} as record
        where id = ${id} and not ${gone ?? sql.fragment`false`}
      ) as is_there
    `),
  );

/** A pattern that matches the words literally, including %, _ and backslash. */
export const containsPattern = (words: string): string => `${endPattern(words)}%`;
/** The same at the end of a text. */
export const endPattern = (words: string): string => `%${words.replace(/[\\%_]/g, '\\$&')}`;
