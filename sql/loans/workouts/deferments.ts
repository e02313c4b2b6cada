import { z } from 'zod';
import { sql, type Transaction } from '../../database/db.ts';
import { table } from '../../table.ts';

export const deferments = table({
  name: 'deferments',
  owner: 'loans',
  rows: sql.fragment`
    select record.id, record.loan_id, loan.borrower_id, record.deferment_type, record.periods, record.start_date,
           record.end_date, record.start_installment, record.interest_treatment,
           record.extend_maturity, record.fee_amount, record.reason, record.notes, record.status,
           record.created_by, record.created_at, record.updated_at
    from deferments as record left join loans as loan on loan.id = record.loan_id
  `,
});

export const OpenDefermentRow = z.object({
  id: z.string(),
  status: z.string(),
  deferment_type: z.string(),
  periods: z.int(),
  start_date: z.string(),
  end_date: z.string().nullable(),
  start_installment: z.int().nullable(),
  interest_treatment: z.string(),
  extend_maturity: z.boolean(),
  fee_amount: z.string(),
});
export type OpenDeferment = z.output<typeof OpenDefermentRow>;

/** Amounts are text, because JSON would turn them into numbers. */
export const openDefermentColumns = sql.fragment`
  id, status, deferment_type, periods, start_date, end_date, start_installment,
  interest_treatment, extend_maturity, fee_amount::text as fee_amount
`;

export const lockOpenDeferments = (tx: Transaction, loanId: string) =>
  tx.any(sql.type(OpenDefermentRow)`
    select ${openDefermentColumns}
    from deferments where loan_id = ${loanId} and status in ('scheduled', 'active')
    order by start_date, id for update
  `);
