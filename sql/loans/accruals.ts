import { z } from 'zod';
import { sql, deferred, type Transaction } from '../database/db.ts';

/** Adds a row for interest that changed when the loan was refolded, dated on the day it is posted. */
export async function addAdjustment(
  tx: Transaction,
  loanId: string,
  date: string,
  amount: string,
  entryId: string,
) {
  await tx.query(deferred(sql.typeAlias('void')`select app.ensure_accrual_month(${date})`));
  await tx.query(
    deferred(sql.typeAlias('void')`
      insert into interest_accruals (accrual_date, loan_id, sequence, amount, entry_id)
      select ${date}, ${loanId}, coalesce(max(sequence), 0) + 1, ${amount}::numeric, ${entryId}
      from interest_accruals where accrual_date = ${date} and loan_id = ${loanId}
    `),
  );
}

export const sumAccruals = (tx: Transaction, loanId: string) =>
  tx.oneFirst(sql.type(z.object({ amount: z.string() }))`
    select coalesce(sum(amount), 0.00) as amount from interest_accruals where loan_id = ${loanId}
  `);
