import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { z } from 'zod';
import { andCommit, prepared, sql, deferred, type Transaction } from './database/db.ts';
import type { TableName } from './tables.ts';

/** A record as it leaves the database: snake_case columns, amounts as decimal strings. */
export type Row = Record<string, unknown> & { id: string };

type Counted = 'status' | 'is_archived';

/**
 * One table as the rest of the program sees it: where plain writes go, and the one visible select
 * whose columns are the fields of the resource. `rows` names its table's alias `record`.
 */
export type Table = {
  name: TableName;
  rows: SqlFragment;
  /**
   * Whose row is locked before one of this table, because what is done to it may change others that
   * belong to the same. Nothing, where only the row itself is at stake.
   */
  owner?: 'loans' | 'borrowers' | 'investors';
  /**
   * Fields that are columns of the bare table (alias `row`): a list that asks for and is ordered by
   * these alone is found and counted there, and only its page goes through the joins of `rows`,
   * which must neither add rows nor take any away. `q` where the search looks at these only.
   */
  own?: readonly string[];
  /**
   * Fields that are computed of the row itself, and a select of them and all own columns: a list that asks for
   * or is ordered by these need not compute all that a row shows to find its page.
   */
  computed?: { fields: readonly string[]; rows: SqlFragment };
  /**
   * Columns by which the database keeps count of the rows (`row_counts`, by triggers that a migration makes with
   * `call app.maintain_counts`): a list that asks for these alone, or for nothing, is not counted.
   */
  counted?: readonly Counted[];
  /** The condition, over the columns of `rows` as alias `row`, that a search for words means. */
  search?: (words: string) => SqlFragment;
  /** The fields of the answer that the search looks into; without it, any may be one. */
  searched?: readonly string[];
  /** How a filter that is not simply a column is compared, such as the status of a borrower. */
  filters?: Record<string, (values: string[]) => SqlFragment>;
  /** Says which rows of the bare table are gone for everybody, where `rows` leaves such out. */
  gone?: SqlFragment;
  /** Columns whose values never reach the audit trail or an answer. */
  secret?: readonly string[];
};

export const table = (declared: Table): Table => declared;

/**
 * The row as the API answers it, or null where this tenant has none of that id; with `isLast` nothing is
 * asked after it, and the transaction ends along with it.
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
 * Locks the row until the transaction has ended, and answers it as it is then. The lock is a statement
 * of its own: one that has waited for a lock still sees all else as it was before it waited.
 */
export async function findLocked(tx: Transaction, table: Table, id: string): Promise<Row | null> {
  await tx.query(deferred(locking(table, id)));
  return find(tx, table, id);
}

/** The owner is locked first, whichever way somebody comes: those who take turns never cross. */
function locking({ name, owner }: Table, id: string) {
  if (name === 'loans') return sql.typeAlias('void')`select app.lock_loan(${id})`;
  const bare = sql.identifier([name]);
  const key = sql.fragment`(select owned.${sql.identifier([`${owner?.slice(0, -1)}_id`])}
    from ${bare} as owned where owned.id = ${id})`;
  const first =
    owner === undefined
      ? sql.fragment`select`
      : owner === 'loans'
        ? sql.fragment`select app.lock_loan(${key})`
        : sql.fragment`select from ${sql.identifier([owner])} where id = ${key} for no key update`;
  return sql.typeAlias('void')`
    with first as materialized (${first})
    select from ${bare} as record cross join (select count(*) from first) as held
    where record.id = ${id} for no key update of record
  `;
}

const There = z.object({ is_there: z.boolean() });

/** Whether this tenant has one of that id, where nothing else of it is asked for. */
export const rowExists = (tx: Transaction, { name, gone }: Table, id: string) =>
  tx.oneFirst(
    prepared(sql.type(There)`
      select exists (
        select from ${sql.identifier([name])} as record
        where id = ${id} and not ${gone ?? sql.fragment`false`}
      ) as is_there
    `),
  );

/** The pattern that finds words literally: %, _ and backslash in them are not wildcards. */
export const containsPattern = (words: string): string => `%${words.replace(/[\\%_]/g, '\\$&')}%`;
