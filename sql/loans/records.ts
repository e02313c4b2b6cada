import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';

/** Queries that all records of a loan share: owner, lock and count. */
export type RecordTable =
  | 'modifications'
  | 'forbearances'
  | 'deferments'
  | 'payment_plans'
  | 'promises_to_pay'
  | 'payoff_quotes'
  | 'service_credits'
  | 'suspense_applications'
  | 'draws'
  | 'fees'
  | 'disbursements'
  | 'forms_1099c';

const RecordStatus = z.looseObject({ id: z.string(), loan_id: z.string(), status: z.string() });

/** Locks the record. The caller has locked its loan. */
export const lockRecordRow = (tx: Transaction, table: RecordTable, id: string) =>
  tx.one(sql.type(RecordStatus)`
    select * from ${sql.identifier([table])} where id = ${id} for update
  `);

/** The record's loan, read before the loan is locked. */
export const loanIdOf = (tx: Transaction, table: RecordTable, id: string) =>
  tx.oneFirst(sql.type(z.object({ loan_id: z.string() }))`
    select loan_id from ${sql.identifier([table])} where id = ${id}
  `);

export const setRecordStatus = (tx: Transaction, table: RecordTable, id: string, status: string) =>
  tx.query(sql.typeAlias('void')`
    update ${sql.identifier([table])} set status = ${status} where id = ${id}
  `);

/** The number of the loan's records of this kind, in any status. */
export async function countRecords(tx: Transaction, table: RecordTable, loanId: string) {
  const count = await tx.oneFirst(sql.type(z.object({ count: z.string() }))`
    select count(*) from ${sql.identifier([table])} where loan_id = ${loanId}
  `);
  return Number(count);
}
