import { z } from 'zod';
import { sql, type Transaction } from '../db.ts';

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
export type PlanRow = z.output<typeof PlanRow>;

/** The plan that the loan began with, which its events may have replaced since. */
export const firstPlan = (tx: Transaction, loanId: string) =>
  tx.any(sql.type(PlanRow)`
    select period_number, due_date, payment_amount, principal_amount, interest_amount, fees_amount,
           beginning_balance, ending_balance, days_in_period
    from installments where loan_id = ${loanId} and version = 1 order by period_number
  `);

type Covered = PlanRow & { paid_amount: string; paid_date: string | null; status: string };

/** Writes a version of the plan, with what is covered of it. */
export async function savePlan(
  tx: Transaction,
  loanId: string,
  version: number,
  rows: readonly Covered[],
  reason: string,
) {
  await tx.query(sql.typeAlias('void')`
    insert into installments
      (loan_id, version, period_number, due_date, payment_amount, principal_amount, interest_amount,
       fees_amount, beginning_balance, ending_balance, days_in_period, paid_amount, paid_date,
       is_canceled, reason)
    select ${loanId}, ${version}, period_number, due_date, payment_amount, principal_amount,
           interest_amount, fees_amount, beginning_balance, ending_balance, days_in_period,
           paid_amount, paid_date, status = 'canceled', ${reason}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row (
      period_number integer, due_date date, payment_amount numeric, principal_amount numeric,
      interest_amount numeric, fees_amount numeric, beginning_balance numeric,
      ending_balance numeric, days_in_period integer, paid_amount numeric, paid_date date, status text
    )
  `);
}

/** Writes what an event changed of the current version's coverage. */
export async function saveCoverage(
  tx: Transaction,
  loanId: string,
  version: number,
  rows: readonly Covered[],
) {
  if (rows.length === 0) return;
  await tx.query(sql.typeAlias('void')`
    update installments as installment
    set paid_amount = row.paid_amount, paid_date = row.paid_date,
        is_canceled = row.status = 'canceled'
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as row (period_number integer, paid_amount numeric, paid_date date, status text)
    where installment.loan_id = ${loanId} and installment.version = ${version}
      and installment.period_number = row.period_number
  `);
}
