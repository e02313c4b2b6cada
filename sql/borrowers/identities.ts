import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';

export const identities = table({
  name: 'borrower_identities',
  owner: 'borrowers',
  rows: sql.fragment`
    select record.id, record.borrower_id, record.identity_type, record.identifier_last_four,
           record.issuing_authority, record.issuing_state, record.issuing_country,
           record.issue_date, record.expiration_date, record.verification_status,
           record.verified_at, record.verified_by, record.verification_method, record.document_id,
           (
             select count(distinct other.borrower_id)::integer
             from borrower_identities as other
             where other.identifier_index = record.identifier_index
               and other.identity_type = record.identity_type
               and other.borrower_id <> record.borrower_id and not other.is_archived
           ) as other_borrowers,
           record.is_archived, record.created_at, record.updated_at
    from borrower_identities as record
  `,
});

const Holder = z.object({ borrower_id: z.string(), identity_id: z.string() });

/** The borrowers who have the number on file as this type, under any of the index keys. */
export const findHolders = (tx: Transaction, type: string, indexes: readonly string[]) =>
  tx.any(sql.type(Holder)`
    select borrower_id, id as identity_id from borrower_identities
    where identifier_index = any(${sql.array(indexes, 'text')}) and identity_type = ${type}
      and not is_archived
    order by created_at, id limit 1000
  `);

/** Fills in the last four digits of the borrower's number if they are empty. */
export const fillLastFour = (tx: Transaction, borrowerId: string, lastFour: string) =>
  tx.maybeOneFirst(sql.typeAlias('id')`
    update borrowers set ssn_last_four = ${lastFour}
    where id = ${borrowerId} and ssn_last_four is null
    returning id
  `);
