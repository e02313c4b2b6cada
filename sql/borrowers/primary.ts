import { sql, type Transaction } from '../database/db.ts';

export type Contacts = 'addresses' | 'emails' | 'phones';

/** Two contacts that want to be primary at once take turns. */
export const lockBorrower = (tx: Transaction, borrowerId: string) =>
  tx.query(sql.typeAlias('void')`select from borrowers where id = ${borrowerId} for no key update`);

const ofType = (contacts: Contacts, type: unknown) =>
  contacts === 'addresses'
    ? sql.fragment`and address_type = ${String(type ?? 'mailing')}`
    : sql.fragment``;

/** Whether the borrower has a primary contact of this kind (and type of address) already. */
export const exists = (tx: Transaction, contacts: Contacts, borrowerId: string, type: unknown) =>
  tx.exists(sql.typeAlias('void')`
    select from ${sql.identifier([contacts])}
    where borrower_id = ${borrowerId} and is_primary and not is_archived ${ofType(contacts, type)}
  `);

/** Another contact becomes the primary one. Answers which was it until now. */
export const clear = (
  tx: Transaction,
  contacts: Contacts,
  borrowerId: string,
  type: unknown,
  except: string | null,
) =>
  tx.anyFirst(sql.typeAlias('id')`
    update ${sql.identifier([contacts])} set is_primary = false
    where borrower_id = ${borrowerId} and is_primary and not is_archived
      and id is distinct from ${except}::uuid ${ofType(contacts, type)}
    returning id
  `);
