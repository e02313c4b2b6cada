import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';

export const sumScheduledUntil = (tx: Transaction, loanId: string, date: string) =>
  tx.oneFirst(sql.type(z.object({ amount: z.string() }))`
    select coalesce(sum(amount), 0.00) as amount from payments
    where loan_id = ${loanId} and status = 'scheduled' and payment_date <= ${date}
  `);

type Order = {
  loan_id: string;
  amount: string;
  payment_date: string;
  payment_instrument_id: string;
};

/** The same order from the portal within the last seconds, if any. */
export const findDuplicatePayment = (tx: Transaction, order: Order, seconds: number) =>
  tx.maybeOneFirst(sql.typeAlias('id')`
    select id from payments
    where loan_id = ${order.loan_id} and amount = ${order.amount}::numeric
      and payment_date = ${order.payment_date}
      and payment_instrument_id = ${order.payment_instrument_id}
      and source = 'portal' and status <> 'canceled'
      and created_at > clock_timestamp() - make_interval(secs => ${seconds})
    order by id desc limit 1
  `);

/** The loan of a payment that this person ordered in the portal. */
export const findLoanOfOwnPayment = (tx: Transaction, id: string, borrowerId: string) =>
  tx.maybeOneFirst(sql.type(z.object({ loan_id: z.string() }))`
    select loan_id from payments
    where id = ${id} and borrower_id = ${borrowerId} and source = 'portal'
  `);
