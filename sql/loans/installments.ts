import { z } from 'zod';
import { sql } from '../database/db.ts';

export const PlanRow = z.object({
  period_number: z.int(),
  due_date: z.string(),
  payment_amount: z.string(),
  principal_amount: z.string(),
  interest_amount: z.string(),
  fees_amount: z.string(),
  beginning_balance: z.string(),
  ending_balance: z.string(),
  days_in_period: z.int(),
});

type Covered = z.output<typeof PlanRow> & {
  paid_amount: string;
  paid_date: string | null;
  status: string;
};

/** Writes a version of the plan, with what is covered of it. */
export const planning = (
  loanId: string,
  version: number,
  rows: readonly Covered[],
  reason: string,
) => sql.fragment`
  insert into installments
    (loan_id, version, period_number, due_date, payment_amount, principal_amount, interest_amount,
     fees_amount, beginning_balance, ending_balance, days_in_period, paid_amount, paid_date,
     is_canceled, reason)
  select ${loanId}, ${version}::integer, period_number, due_date, payment_amount, principal_amount,
         interest_amount, fees_amount, beginning_balance, ending_balance, days_in_period,
         paid_amount, paid_date, status = 'canceled', ${reason}
  from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row (
    period_number integer, due_date date, payment_amount numeric, principal_amount numeric,
    interest_amount numeric, fees_amount numeric, beginning_balance numeric,
    ending_balance numeric, days_in_period integer, paid_amount numeric, paid_date date, status text
  )
`;

/** Writes what an event changed of the current version's coverage. */
export const covering = (
  loanId: string,
  version: number,
  rows: readonly Pick<Covered, 'period_number' | 'paid_amount' | 'paid_date' | 'status'>[],
) => sql.fragment`
  update installments as installment
  set paid_amount = row.paid_amount, paid_date = row.paid_date,
      is_canceled = row.status = 'canceled'
  from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
    as row (period_number integer, paid_amount numeric, paid_date date, status text)
  where installment.loan_id = ${loanId} and installment.version = ${version}
    and installment.period_number = row.period_number
`;
