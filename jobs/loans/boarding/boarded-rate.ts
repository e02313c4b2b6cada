import type { ScheduleRow } from '../arithmetic/amortize.ts';
import { computeScheduleApr, isDisclosableApr } from '../arithmetic/apr.ts';
import type { Terms } from '../arithmetic/terms.ts';
import type { BoardedLoan } from '../schedule/boarded-schedule.ts';

/**
 * The annual percentage rate of a loan that was disclosed elsewhere: of its terms as they came over. What
 * fees were paid when it was made is not known. Null where it cannot be computed, as of a loan that is
 * repaid on the day on which it was made, or where no record has room for it.
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
