import { z } from 'zod';
import { sql, type Transaction } from '../../database/db.ts';

/** Why an installment gets no late fee although it was late on the first night after its grace period. */
export const LATE_FEE_EXEMPTIONS = [
  'small_remainder',
  'partly_paid',
  'agreement',
  'frozen',
  'legal_condition',
  'servicing_transfer',
] as const;
export type LateFeeExemption = (typeof LATE_FEE_EXEMPTIONS)[number];

/** An installment with an exemption, and the rule that granted it. */
export const ExemptInstallment = z.object({
  installment_number: z.int(),
  due_date: z.string(),
  fee_rule_id: z.string().nullable(),
});
export type ExemptInstallment = z.output<typeof ExemptInstallment>;

/** Records exemptions permanently. */
export const recordLateFeeExemptions = (
  tx: Transaction,
  loanId: string,
  exemptions: readonly (ExemptInstallment & { reason: LateFeeExemption })[],
) =>
  tx.query(sql.typeAlias('void')`
    insert into late_fee_exemptions (loan_id, installment_number, due_date, fee_rule_id, reason)
    select ${loanId}, row.installment_number, row.due_date, row.fee_rule_id, row.reason
    from jsonb_to_recordset(${JSON.stringify(exemptions)}::jsonb)
      as row (installment_number integer, due_date date, fee_rule_id uuid, reason text)
    on conflict do nothing
  `);
