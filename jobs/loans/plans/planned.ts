import type { ScheduleRow } from '../arithmetic/amortize.ts';

/** Only the plan of a row, without what was paid of it. */
export function planned(row: ScheduleRow): ScheduleRow {
  return {
    period_number: row.period_number,
    due_date: row.due_date,
    payment_amount: row.payment_amount,
    principal_amount: row.principal_amount,
    interest_amount: row.interest_amount,
    fees_amount: row.fees_amount,
    beginning_balance: row.beginning_balance,
    ending_balance: row.ending_balance,
    days_in_period: row.days_in_period,
  };
}
