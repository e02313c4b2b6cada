import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { SEALED_COLUMNS } from '../sealed-columns.ts';
import type { Table } from '../table.ts';

export const lockApprovedRecord = (tx: Transaction, { name }: Pick<Table, 'name'>, id: string) =>
  tx.query(sql.typeAlias('void')`
    select from ${sql.identifier([name])} where id = ${id} for share
  `);

const Value = z.object({ column: z.string(), sealed: z.string() });

/** A record's sealed values, such as an account number, by column. */
export async function sealedValues(tx: Transaction, { name }: Pick<Table, 'name'>, id: string) {
  const columns = SEALED_COLUMNS.filter((place) => place.table === name).map(
    ({ column }) => column,
  );
  if (columns.length === 0) return [];
  const values = columns.map(
    (column) => sql.fragment`
      select ${column} as column, ${sql.identifier([column])} as sealed
      from ${sql.identifier([name])} where id = ${id} and ${sql.identifier([column])} is not null
    `,
  );
  return tx.any(sql.type(Value)`${sql.join(values, sql.fragment` union all `)} order by 1`);
}
