import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';

const COLUMNS = {
  borrowers: sql.fragment`select external_id as key from borrowers where external_id`,
  programs: sql.fragment`select code as key from programs where code`,
  products: sql.fragment`select code as key from products where code`,
};

/** Of these keys, those that a record of the tenant has. */
export const knownKeys = async (
  tx: Transaction,
  file: keyof typeof COLUMNS,
  keys: readonly string[],
): Promise<ReadonlySet<string>> =>
  new Set(
    await tx.anyFirst(sql.type(z.object({ key: z.string() }))`
      ${COLUMNS[file]} = any(${sql.array([...keys], 'text')})
    `),
  );
