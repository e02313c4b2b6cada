import { Big } from 'big.js';
import type { ScheduleRow } from '../arithmetic/amortize.ts';
import { aprOfSchedule } from '../arithmetic/apr.ts';
import type { Terms } from '../arithmetic/terms.ts';
import type { Boarded } from '../plans/boarded-schedule.ts';

/** Far beyond all rates of loans, and what the column cannot keep. */
const BEYOND = 10_000;

/**
 * The annual percentage rate of a loan that was disclosed elsewhere: of its terms as they came over. What
 * fees were paid when it was made is not known. Null where it cannot be computed, as of a loan that is
 * repaid on the day on which it was made.
 */
export function boardedApr(
  { payment_frequency }: Pick<Terms, 'payment_frequency'>,
  boarded: Boarded,
  schedule: readonly ScheduleRow[],
): string | null {
  const isLent = schedule.some(({ due_date }) => due_date > boarded.origination_date);
  if (!isLent) return null;
  const apr = aprOfSchedule({
    amount_financed: boarded.principal_amount,
    start_date: boarded.origination_date,
    payment_frequency,
    schedule,
  });
  return new Big(apr).lt(BEYOND) ? apr : null;
}
