import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';

const Borrower = z.object({
  first_name: z.string(),
  last_name: z.string(),
  is_archived: z.boolean(),
  email: z.string().nullable(),
});

/**
 * The borrower with their primary email address, locked so that concurrent invitations run one after the
 * other.
 */
export const lockBorrowerWithEmail = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(Borrower)`
    select borrower.first_name, borrower.last_name, borrower.is_archived,
           (
             select email from emails
             where borrower_id = borrower.id and is_primary and not is_archived
           ) as email
    from borrowers as borrower where id = ${id}
    for no key update
  `);
