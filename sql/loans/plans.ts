import { sql, type Transaction } from '../db.ts';

/** The day on which the plan begins, unless there is none any more. */
export const setFirstPayment = (tx: Transaction, id: string, day: string | null) =>
  tx.query(sql.typeAlias('void')`
    update loans set first_payment_date = coalesce(${day}, first_payment_date) where id = ${id}
  `);

export const setPaymentDay = (tx: Transaction, id: string, day: number) =>
  tx.query(sql.typeAlias('void')`update loans set payment_day = ${day} where id = ${id}`);
