import { prepared, sql, type Transaction } from '../database/db.ts';

type Plan = { first_payment_date: string | null; payment_amount: string | null };

/** What the loan shows of its plan, besides the instalments themselves. */
export const setPlan = (tx: Transaction, id: string, plan: Plan) =>
  tx.query(
    prepared(sql.typeAlias('void')`
      update loans
      set first_payment_date = coalesce(${plan.first_payment_date}, first_payment_date),
          payment_amount = coalesce(${plan.payment_amount}::numeric, payment_amount)
      where id = ${id}
    `),
  );

export const setPaymentDay = (tx: Transaction, id: string, day: number) =>
  tx.query(sql.typeAlias('void')`update loans set payment_day = ${day} where id = ${id}`);
