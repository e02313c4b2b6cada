import { z } from 'zod';
import { sql, type Transaction } from '../../database/db.ts';
import { table } from '../../table.ts';

export const forbearances = table({
  name: 'forbearances',
  owner: 'loans',
  rows: sql.fragment`
    select record.id, record.loan_id, loan.borrower_id, record.forbearance_type, record.start_date, record.end_date,
           record.reason, record.reduced_payment_amount, record.interest_accrues,
           record.suspend_late_fees, record.suspend_delinquency, record.suspend_credit_reporting,
           record.end_treatment, record.hardship_application_id, record.notes, record.status,
           record.created_by, record.created_at, record.updated_at
    from forbearances as record left join loans as loan on loan.id = record.loan_id
  `,
});

export const OpenForbearanceRow = z.object({
  id: z.string(),
  status: z.string(),
  forbearance_type: z.string(),
  start_date: z.string(),
  end_date: z.string(),
  reduced_payment_amount: z.string().nullable(),
  interest_accrues: z.boolean(),
  suspend_delinquency: z.boolean(),
  end_treatment: z.string(),
  event_ids: z.array(z.string()),
});
export type OpenForbearance = z.output<typeof OpenForbearanceRow>;

/** Amounts are text, because JSON would turn them into numbers. */
export const openForbearanceColumns = sql.fragment`
  id, status, forbearance_type, start_date, end_date,
  reduced_payment_amount::text as reduced_payment_amount, interest_accrues, suspend_delinquency,
  end_treatment, event_ids
`;

export const lockOpenForbearances = (tx: Transaction, loanId: string) =>
  tx.any(sql.type(OpenForbearanceRow)`
    select ${openForbearanceColumns}
    from forbearances where loan_id = ${loanId} and status in ('scheduled', 'active')
    order by start_date, id for update
  `);
