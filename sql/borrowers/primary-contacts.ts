import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';

export type ContactTable = 'addresses' | 'emails' | 'phones';

/** Serializes transactions that change the borrower's primary contacts. */
export const lockBorrower = (tx: Transaction, borrowerId: string) =>
  tx.query(sql.typeAlias('void')`select from borrowers where id = ${borrowerId} for no key update`);

const ofType = (contacts: ContactTable, type: unknown) =>
  contacts === 'addresses'
    ? sql.fragment`and address_type = ${String(type ?? 'mailing')}`
    : sql.fragment``;

/** Whether the borrower already has a primary contact of this kind (and address type). */
export const hasPrimary = (
  tx: Transaction,
  contacts: ContactTable,
  borrowerId: string,
  type: unknown,
) =>
  tx.exists(sql.typeAlias('void')`
    select from ${sql.identifier([contacts])}
    where borrower_id = ${borrowerId} and is_primary and not is_archived ${ofType(contacts, type)}
  `);

/** Clears the primary flag of the other contacts of this kind. Returns the previous primary contact. */
export const clearPrimaryContact = (
  tx: Transaction,
  contacts: ContactTable,
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

const NextPrimary = z.object({ id: z.string(), is_primary: z.boolean() });

/** The borrower's primary contact other than this one; if there is none, the oldest contact, active ones first. */
export const findNextPrimary = (
  tx: Transaction,
  contacts: ContactTable,
  borrowerId: string,
  type: unknown,
  without: string,
) => {
  const working = contacts === 'addresses' ? sql.fragment`` : sql.fragment`status <> 'active',`;
  return tx.maybeOne(sql.type(NextPrimary)`
    select id, is_primary from ${sql.identifier([contacts])}
    where borrower_id = ${borrowerId} and not is_archived and id <> ${without}
      ${ofType(contacts, type)}
    order by is_primary desc, ${working} created_at, id limit 1
  `);
};

export const makePrimary = (tx: Transaction, contacts: ContactTable, id: string) =>
  tx.query(sql.typeAlias('void')`
    update ${sql.identifier([contacts])} set is_primary = true where id = ${id}
  `);

/** Columns that identify a contact: two contacts of a borrower with the same values are duplicates. */
export const IDENTIFYING_COLUMNS = {
  emails: ['email'],
  phones: ['phone_number'],
  addresses: [
    ...(['address_type', 'street_line_1', 'street_line_2', 'city', 'state'] as const),
    ...(['postal_code', 'country'] as const),
  ],
} as const satisfies Record<ContactTable, readonly string[]>;

/** The borrower's contact with the same value, ignoring case. */
export const findDuplicateContact = (
  tx: Transaction,
  contacts: ContactTable,
  borrowerId: string,
  contact: Record<string, unknown>,
  except: string | null,
) => {
  const same = IDENTIFYING_COLUMNS[contacts].map(
    (name) => sql.fragment`
      lower(coalesce(${sql.identifier([name])}, '')) = ${String(contact[name] ?? '').toLowerCase()}
    `,
  );
  return tx.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
    select id from ${sql.identifier([contacts])}
    where borrower_id = ${borrowerId} and not is_archived and id is distinct from ${except}::uuid
      and ${sql.join(same, sql.fragment` and `)}
    limit 1
  `);
};
