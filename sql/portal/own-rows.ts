import { prepared, sql, type Transaction } from '../database/db.ts';
import type { Row, Table } from '../table.ts';

export const findOwnRow = (
  tx: Transaction,
  { rows }: Pick<Table, 'rows'>,
  id: string,
  borrowerId: string,
): Promise<Row | null> =>
  tx.maybeOne(
    prepared(sql.unsafe`
      select * from (${rows}) as row where row.id = ${id} and row.borrower_id = ${borrowerId}
    `),
  ) as Promise<Row | null>;

/** The borrower's number of rows in use, counted up to the limit. */
export const countOwnRows = async (tx: Transaction, { name }: Table, borrowerId: string) =>
  Number(
    await tx.oneFirst(sql.unsafe`
      select count(*) from ${sql.identifier([name])}
      where borrower_id = ${borrowerId} and not is_archived
    `),
  );
