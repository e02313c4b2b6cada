import type { Big } from 'big.js';
import type { ScheduleRow } from '../arithmetic/amortize.ts';

/** An instalment of the plan that a loan has so far, with what is covered of it. */
export type CoveredRow = ScheduleRow & { paid_amount: string; status: string };

/** Where a loan stands on a day, as far as a new plan is made from it. The fold's state is one. */
export type ScheduleBasis = {
  as_of: string;
  principal_balance: string;
  accrued_interest: string;
  fees: readonly { is_spread: boolean; outstanding_amount: string }[];
  installments: readonly CoveredRow[];
  is_accelerated: boolean;
};

/** The rate that a loan bears on a day, as far as it is known. */
export type RateOn = (date: string) => Big;

export const isUnpaid = ({ status }: CoveredRow): boolean => status !== 'paid';

/** The number of the first instalment that is not paid and not due before a day. */
export function nextUnpaidNumber({ installments }: ScheduleBasis, date: string): number | null {
  const next = installments.find(
    (row) => isUnpaid(row) && row.status !== 'canceled' && row.due_date >= date,
  );
  return next?.period_number ?? null;
}

/** The number that follows the last instalment. */
export const numberAfterLast = ({ installments }: ScheduleBasis): number =>
  (installments.at(-1)?.period_number ?? 0) + 1;

/** Only the plan of a row, without what was paid of it. */
export function withoutCoverage(row: ScheduleRow): ScheduleRow {
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
