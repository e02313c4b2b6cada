import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';

/** Why an instalment bears no late fee, though it was late on the first night after its grace. */
export const MERCIES = ['small_rest', 'paid_something', 'agreement', 'frozen'] as const;
export type Mercy = (typeof MERCIES)[number];

const Judged = z.object({
  installment_number: z.int(),
  due_date: z.string(),
  fee_rule_id: z.string().nullable(),
});
export type Judged = z.output<typeof Judged>;

/** The instalments that a rule was asked of, and spared. */
export const sparedOf = (tx: Transaction, loanId: string) =>
  tx.any(sql.type(Judged)`
    select installment_number, due_date, fee_rule_id from spared_late_fees where loan_id = ${loanId}
  `);

/** Keeps that these are spared for good. */
export const spare = (
  tx: Transaction,
  loanId: string,
  spared: readonly (Judged & { reason: Mercy })[],
) =>
  tx.query(sql.typeAlias('void')`
    insert into spared_late_fees (loan_id, installment_number, due_date, fee_rule_id, reason)
    select ${loanId}, row.installment_number, row.due_date, row.fee_rule_id, row.reason
    from jsonb_to_recordset(${JSON.stringify(spared)}::jsonb)
      as row (installment_number integer, due_date date, fee_rule_id uuid, reason text)
    on conflict do nothing
  `);
