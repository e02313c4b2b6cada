import { sql, type Transaction } from '../../database/db.ts';

export const setPaymentDay = (tx: Transaction, id: string, day: number) =>
  tx.query(sql.typeAlias('void')`update loans set payment_day = ${day} where id = ${id}`);
