import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';

const Told = z.object({
  letter_date: z.string(),
  apr: z.string(),
  finance_charge: z.string(),
  amount_financed: z.string(),
  total_of_payments: z.string(),
  payment_schedule: z.array(
    z.object({ number: z.int(), amount: z.string(), first_due: z.string(), every: z.string() }),
  ),
});
export type ToldCost = z.output<typeof Told>;

/** What the borrower was told last of what the loan costs: the figures of the document itself. */
export const lastTold = (tx: Transaction, loanId: string) =>
  tx.maybeOneFirst(sql.type(z.object({ told: Told }))`
    select template_data as told from documents
    where loan_id = ${loanId} and template = 'tila_disclosure'
    order by created_at desc, id desc limit 1
  `);
