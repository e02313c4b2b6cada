import type { ScheduleRow } from '../arithmetic/amortize.ts';
import { computeScheduleApr, isDisclosableApr } from '../arithmetic/apr.ts';
import type { Terms } from '../arithmetic/terms.ts';
import type { BoardedLoan } from '../schedule/boarded-schedule.ts';

/**
 * The APR of a boarded loan, computed from its terms without fees, which are unknown. Null if it cannot be
 * computed (for example if the loan is repaid on its origination date) or is too large to store.
 */
export function boardedApr(
  { payment_frequency }: Pick<Terms, 'payment_frequency'>,
  boarded: BoardedLoan,
  schedule: readonly ScheduleRow[],
): string | null {
  const isLent = schedule.some(({ due_date }) => due_date > boarded.origination_date);
  if (!isLent) return null;
  const apr = computeScheduleApr({
    amount_financed: boarded.principal_amount,
    start_date: boarded.origination_date,
    payment_frequency,
    schedule,
  });
  return isDisclosableApr(apr) ? apr : null;
}
