import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';

/** The sealed key of a file that is stored encrypted. Null if the file is not finished or not encrypted. */
export const findFileKey = (tx: Transaction, storageKey: string) =>
  tx.maybeOneFirst(sql.type(z.object({ file_key_sealed: z.string() }))`
    select file_key_sealed from credit_reporting_files
    where storage_key = ${storageKey} and status = 'completed'
    union all
    select file_key_sealed from nacha_files
    where storage_key = ${storageKey} and status = 'completed'
  `);
