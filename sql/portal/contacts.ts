import { addresses } from '../borrowers/contacts.ts';
import { prepared, sql, type Transaction } from '../database/db.ts';
import type { Row } from '../table.ts';

export const listAddresses = (tx: Transaction, borrowerId: string) =>
  tx.any(
    prepared(sql.unsafe`
      select * from (${addresses.rows}) as row
      where row.borrower_id = ${borrowerId} and not row.is_archived
      order by row.is_primary desc, row.created_at desc, row.id limit 100
    `),
  ) as Promise<readonly Row[]>;

export const findPhone = (tx: Transaction, borrowerId: string, number: string) =>
  tx.maybeOneFirst(sql.typeAlias('id')`
    select id from phones
    where borrower_id = ${borrowerId} and phone_number = ${number} and not is_archived
    order by is_primary desc, id limit 1
  `);
