import type { Big } from 'big.js';
import type { ScheduleRow } from '../arithmetic/amortize.ts';

/** An installment of the current schedule with its coverage. */
export type CoveredRow = ScheduleRow & { paid_amount: string; status: string };

/** The part of a loan's state that a new schedule needs. `LoanState` satisfies this type. */
export type ScheduleBasis = {
  as_of: string;
  principal_balance: string;
  accrued_interest: string;
  fees: readonly { is_spread: boolean; outstanding_amount: string }[];
  installments: readonly CoveredRow[];
  is_accelerated: boolean;
  /** The legal cap of the rate in force. */
  rate_cap: string | null;
  interest_segments: readonly EarnedInterest[];
};

/** Interest of consecutive days. `agreed_rate` is set if a legal cap lowers the rate. */
type EarnedInterest = {
  from: string;
  to: string;
  balance: string;
  rate: string;
  agreed_rate?: string;
  rule: string;
};

/** The loan's agreed rate on a day, without legal caps, as far as it is known. */
export type RateOn = (date: string) => Big;

export const isUnpaid = ({ status }: CoveredRow): boolean => status !== 'paid';

/** The number of the first unpaid installment due on or after `date`. */
export function nextUnpaidNumber({ installments }: ScheduleBasis, date: string): number | null {
  const next = installments.find(
    (row) => isUnpaid(row) && row.status !== 'canceled' && row.due_date >= date,
  );
  return next?.period_number ?? null;
}

export const numberAfterLast = ({ installments }: ScheduleBasis): number =>
  (installments.at(-1)?.period_number ?? 0) + 1;

/** The scheduled part of a row, without its coverage. */
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
