import type { DatabasePool } from 'slonik';
import { z } from 'zod';
import { sql, type Transaction } from './db.ts';

/** The database server's current time, not the transaction's start. */
export async function databaseTime(connection: Pick<DatabasePool | Transaction, 'oneFirst'>) {
  const text = await connection.oneFirst(sql.type(z.object({ now: z.string() }))`
    select clock_timestamp() as now
  `);
  return new Date(text);
}
