import type { FragmentSqlToken as SqlFragment, PrimitiveValueExpression } from 'slonik';
import { sql, deferred, type Transaction } from './database/db.ts';
import { batchByTransaction } from './database/batch-by-transaction.ts';
import type { TableName } from './tables.ts';

/**
 * Plain writes of records without rules. Use a separate statement next to the table for changes of a
 * status, a balance or a date that other records depend on.
 */
export type Values = Record<string, unknown>;

/** Inserts the record and returns its id. Undefined values take the column's default. */
export const insert = (tx: Transaction, table: TableName, values: Values): Promise<string> =>
  tx.oneFirst(insertStatement(table, values));

/** Inserts frequent records without answering their ids. Concurrent calls share one statement. */
export const batchedInsert = (table: TableName) =>
  batchByTransaction(async (tx, records: readonly Values[]) => {
    await insertAll(tx, table, records);
    return records.map(() => undefined);
  });

/** Inserts the records in order. Those with the same columns share one statement. */
export async function insertAll(tx: Transaction, table: TableName, records: readonly Values[]) {
  const alike = Map.groupBy(records, (record) => definedColumns(record).join());
  for (const [first = {}, ...others] of alike.values()) {
    const query =
      others.length === 0 ? insertStatement(table, first) : insertMany(table, [first, ...others]);
    await tx.query(deferred(query));
  }
}

function insertMany(table: TableName, records: readonly Values[]) {
  const name = sql.identifier([table]);
  const columns = sql.join(
    definedColumns(records[0] ?? {}).map((column) => sql.identifier([column])),
    sql.fragment`, `,
  );
  return sql.typeAlias('id')`
    insert into ${name} (${columns})
    select ${columns} from jsonb_populate_recordset(null::${name}, ${JSON.stringify(records)}::jsonb)
    returning id
  `;
}

function insertStatement(table: TableName, values: Values) {
  const entries = definedKeys(values);
  const columns = entries.map(([column]) => sql.identifier([column]));
  return cacheShape(`insert ${table}`, entries, (given) => {
    const bound = sql.join(given, sql.fragment`, `);
    return sql.typeAlias('id')`
      insert into ${sql.identifier([table])} (${sql.join(columns, sql.fragment`, `)})
      values (${bound})
      returning id
    `;
  });
}

/** Changes the given columns. Writes nothing if no value differs. */
export async function update(tx: Transaction, table: TableName, id: string, values: Values) {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  if (entries.length === 0) return;
  const differences = entries.map(
    ([column, value]) =>
      sql.fragment`${sql.identifier([column])} is distinct from ${toBoundValue(value)}`,
  );
  await tx.query(sql.typeAlias('void')`
    update ${sql.identifier([table])} set ${setClause(values)}
    where id = ${id} and (${sql.join(differences, sql.fragment` or `)})
  `);
}

export const definedColumns = (values: Values) =>
  Object.keys(values).filter((column) => values[column] !== undefined);

export const setClause = (values: Values): SqlFragment => {
  const entries = definedKeys(values);
  return cacheShape('assign', entries, (given) => {
    const assigned = given.map((value, at) => {
      const [column = ''] = entries[at] ?? [];
      return sql.fragment`${sql.identifier([column])} = ${value}`;
    });
    return sql.fragment`${sql.join(assigned, sql.fragment`, `)}`;
  });
};

const definedKeys = (values: Values) =>
  Object.entries(values).filter(([, value]) => value !== undefined);

type Bound = ReturnType<typeof toBoundValue>;
type Shape = { readonly values: readonly PrimitiveValueExpression[] };
const shapes = new Map<string, Shape>();
const SHAPES_MAX = 1_000;

/** Builds a statement's text once per set of columns, and then only replaces the bound values. */
function cacheShape<Made extends Shape>(
  name: string,
  entries: readonly (readonly [column: string, value: unknown])[],
  make: (given: Bound[]) => Made,
): Made {
  const columns = entries.map(([column, value]) => (isJson(value) ? `${column} json` : column));
  const key = `${name} ${columns.join()}`;
  const known = shapes.get(key) as Made | undefined;
  if (known === undefined && shapes.size >= SHAPES_MAX) shapes.clear();
  const made = known ?? make(entries.map(([, value]) => toBoundValue(value)));
  shapes.set(key, made);
  return Object.freeze({ ...made, values: entries.map(([, value]) => toPlainValue(value)) });
}

const isJson = (value: unknown) => typeof value === 'object' && value !== null;
const toPlainValue = (value: unknown) =>
  (isJson(value) ? JSON.stringify(value) : value) as PrimitiveValueExpression;

export const setArchived = (tx: Transaction, table: TableName, id: string, archived: boolean) =>
  update(tx, table, id, { is_archived: archived });

export async function deleteRow(tx: Transaction, table: TableName, id: string) {
  await tx.query(sql.typeAlias('void')`delete from ${sql.identifier([table])} where id = ${id}`);
}

/** Objects and arrays are bound as jsonb, all other values as text. */
function toBoundValue(value: unknown): SqlFragment | PrimitiveValueExpression {
  const given = toPlainValue(value);
  return isJson(value) ? sql.fragment`${given}::jsonb` : given;
}
