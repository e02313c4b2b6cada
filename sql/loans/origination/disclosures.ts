import { z } from 'zod';
import { sql, type Transaction } from '../../database/db.ts';

const DisclosedTerms = z.object({
  letter_date: z.string(),
  apr: z.string(),
  finance_charge: z.string(),
  amount_financed: z.string(),
  total_of_payments: z.string(),
  payment_schedule: z.array(
    z.object({ number: z.int(), amount: z.string(), first_due: z.string(), every: z.string() }),
  ),
});
export type DisclosedCost = z.output<typeof DisclosedTerms>;

const Lines = z.array(z.object({ name: z.string(), words: z.string() }));
const Opened = z.object({
  letter_date: z.string(),
  apr: z.string(),
  credit_limit: z.string(),
  fees: z.object({ opening: Lines, transactions: Lines, penalties: Lines, others: Lines }),
});
export type DisclosedOpening = z.output<typeof Opened> & { language: string };

/** The figures of the last cost disclosure sent to the borrower (TILA). */
export const readLastDisclosedCost = (tx: Transaction, loanId: string) =>
  tx.maybeOneFirst(sql.type(z.object({ disclosed: DisclosedTerms }))`
    select template_data as disclosed from documents
    where loan_id = ${loanId} and template = 'tila_disclosure'
    order by created_at desc, id desc limit 1
  `);

/** The figures and language of the last account-opening disclosure of a line of credit. */
export async function readLastDisclosedOpening(
  tx: Transaction,
  loanId: string,
): Promise<DisclosedOpening | null> {
  const found = await tx.maybeOne(sql.type(z.object({ disclosed: Opened, language: z.string() }))`
    select template_data as disclosed, coalesce(language, 'en') as language from documents
    where loan_id = ${loanId} and template = 'account_opening_disclosure'
    order by created_at desc, id desc limit 1
  `);
  return found && { ...found.disclosed, language: found.language };
}
