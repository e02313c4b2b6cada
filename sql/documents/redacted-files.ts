import { z } from 'zod';
import { LETTERS_OF_DOCUMENT } from '../communications/logs.ts';
import { sql, type Transaction } from '../database/db.ts';

const FileToRemove = z.object({
  id: z.string(),
  table: z.enum(['documents', 'borrower_exports']),
  storage_key: z.string(),
  letter_ids: z.array(z.string()),
});

/** Files of a redacted borrower that may still be in the store. */
export const listRemainingFiles = (tx: Transaction, borrowerId: string, limit: number) =>
  tx.any(sql.type(FileToRemove)`
    select document.id, 'documents' as table, document.storage_key, ${LETTERS_OF_DOCUMENT} as letter_ids
    from documents as document
    left join loans as loan on loan.id = document.loan_id
    where (document.borrower_id = ${borrowerId} or loan.borrower_id = ${borrowerId})
      and document.status = 'redacted' and document.storage_key <> 'redacted/' || document.id
    union all
    select id, 'borrower_exports', storage_key, '{}'
    from borrower_exports
    where borrower_id = ${borrowerId} and storage_key <> 'redacted/' || id
    limit ${limit}
  `);

/** Clears the storage key of a deleted file, because the key contains the file's name. */
export const eraseStorageKey = (tx: Transaction, { table, id }: z.output<typeof FileToRemove>) =>
  tx.query(sql.typeAlias('void')`
    update ${sql.identifier([table])} set storage_key = 'redacted/' || id where id = ${id}
  `);
