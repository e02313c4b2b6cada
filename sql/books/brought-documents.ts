import { sql, type Transaction } from '../database/db.ts';

type Stored = { loan_id: string; sha256_hash: string; filename: string };

/** Whether the loan has this file already, from a run of the import that was interrupted. */
export const findStoredDocument = (
  tx: Transaction,
  { loan_id, sha256_hash, filename }: Stored,
): Promise<boolean> =>
  tx.exists(sql.typeAlias('void')`
    select from documents
    where loan_id = ${loan_id} and sha256_hash = ${sha256_hash} and filename = ${filename}
  `);
