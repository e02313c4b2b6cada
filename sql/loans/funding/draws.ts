import { z } from 'zod';
import { sql, type Transaction } from '../../database/db.ts';
import { table } from '../../table.ts';

export const draws = table({
  name: 'draws',
  owner: 'loans',
  rows: sql.fragment`
    select record.id, record.loan_id, loan.borrower_id, record.draw_number, record.amount, record.draw_date,
           record.purpose, record.payment_instrument_id, record.external_id, record.fee_amount,
           record.status, record.outstanding_principal,
           trim_scale(record.interest_rate) as interest_rate, record.available_credit_after,
           record.created_by, record.created_at, record.updated_at
    from draws as record left join loans as loan on loan.id = record.loan_id
  `,
});

/** Locks the draw. The caller has locked its loan. */
export const lockDraw = (tx: Transaction, id: string) =>
  tx.one(sql.type(z.object({ status: z.string(), amount: z.string() }))`
    select status, amount from draws where id = ${id} for update
  `);

export const reverseDrawFees = (tx: Transaction, id: string) =>
  tx.anyFirst(sql.type(z.object({ id: z.string() }))`
    update fees set status = 'reversed' where draw_id = ${id} and status <> 'reversed' returning id
  `);
