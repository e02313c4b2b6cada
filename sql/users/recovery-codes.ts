import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';

/** Replaces all of the user's codes. Only their hashes are stored. */
export async function replaceCodes(tx: Transaction, userId: string, hashes: readonly string[]) {
  await deleteCodes(tx, userId);
  await tx.query(sql.typeAlias('void')`
    insert into recovery_codes (user_id, code_hash)
    select ${userId}, decode(hash, 'hex') from unnest(${sql.array([...hashes], 'text')}) as hash
  `);
}

export const deleteCodes = (tx: Transaction, userId: string) =>
  tx.query(sql.typeAlias('void')`delete from recovery_codes where user_id = ${userId}`);

/** Uses the code. A second use finds nothing. */
export const useCode = async (tx: Transaction, userId: string, hash: string): Promise<boolean> => {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update recovery_codes set used_at = now()
    where user_id = ${userId} and code_hash = decode(${hash}, 'hex') and used_at is null
  `);
  return rowCount === 1;
};

export const countUnusedCodes = (tx: Transaction, userId: string) =>
  tx.oneFirst(sql.type(z.object({ count: z.int() }))`
    select count(*)::integer as count from recovery_codes
    where user_id = ${userId} and used_at is null
  `);
