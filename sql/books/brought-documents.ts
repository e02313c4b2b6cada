import { sql, type Transaction } from '../database/db.ts';

type Stored = {
  loan_id: string | null;
  borrower_id?: string;
  sha256_hash: string;
  filename: string;
};

/** Whether the loan or the person has this file already, from a run of the import that was interrupted. */
export const findStoredDocument = (
  tx: Transaction,
  { loan_id, borrower_id, sha256_hash, filename }: Stored,
): Promise<boolean> => {
  const person =
    borrower_id === undefined ? sql.fragment`true` : sql.fragment`borrower_id = ${borrower_id}`;
  const owned = sql.fragment`loan_id is not distinct from ${loan_id}::uuid and ${person}`;
  return tx.exists(sql.typeAlias('void')`
    select from documents
    where ${owned} and sha256_hash = ${sha256_hash} and filename = ${filename}
  `);
};
