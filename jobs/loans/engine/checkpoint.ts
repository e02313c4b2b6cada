import { money } from '../../money.ts';
import type { DayCount, Terms } from '../arithmetic/terms.ts';
import { interestAt } from './interest.ts';
import { feesOwed, type Position } from './position.ts';

/**
 * What a loan's row keeps of the fold, so that "as of now" needs no events: between events interest
 * is linear. SQL computes the same, digit for digit, from the same fields:
 *
 *   accrued(d) = interest_accrued + case
 *     when not is_accruing then 0
 *     when accrual_period_days is null then
 *       round(accrual_balance * accrual_rate * app.year_fraction(day_count, accrual_since, d), 10)
 *     else
 *       round(accrual_period_interest::numeric(40, 30) * (d - accrual_since)
 *         / accrual_period_days, 10)
 *   end
 *   accrued_cents(d) = accrued(d) rounded by the loan's rounding_mode
 *   accrued_interest(d) = greatest(accrued_cents(d) - interest_settled, 0)
 *
 * for any day from accrual_since to linear_until, its end included.
 */
export type Checkpoint = {
  principal_balance: string;
  outstanding_fees: string;
  suspense_balance: string;
  day_count: DayCount;
  rounding_mode: Terms['rounding_mode'];
  /** Null before the loan is funded: nothing accrues. */
  accrual_since: string | null;
  accrual_balance: string;
  accrual_rate: string;
  /** Of a whole period, ten places. */
  accrual_period_interest: string | null;
  accrual_period_days: number | null;
  is_accruing: boolean;
  /** Interest accrued up to `accrual_since`, ten places. */
  interest_accrued: string;
  interest_settled: string;
  /** The day from which another pace holds (a promotion or a period ends): fold again by then. */
  linear_until: string | null;
  /**
   * The interest that will be owed on the first due date behind that day with anything left to ask for, if
   * nothing happens before: a bill of all that is owed by then asks for it. Negative where more of it was
   * paid ahead; null where there is no such date.
   */
  interest_outlook: string | null;
};

export function toCheckpoint(
  position: Position,
  asOf: string,
  { until, ahead }: { until: string | null; ahead: string | null },
): Checkpoint {
  const { meter } = position;
  const { pace } = meter.source;
  const since = meter.since;
  return {
    principal_balance: money(position.principal),
    outstanding_fees: money(feesOwed(position)),
    suspense_balance: money(position.suspense),
    day_count: meter.day_count,
    rounding_mode: position.terms.rounding_mode,
    accrual_since: since,
    accrual_balance: money(meter.source.balance),
    accrual_rate: meter.source.rate.toFixed(),
    accrual_period_interest: pace?.interest.toFixed(10) ?? null,
    accrual_period_days: pace?.days ?? null,
    is_accruing: meter.source.is_running && meter.source.balance.gt(0),
    interest_accrued: interestAt(meter, since ?? asOf).toFixed(10),
    interest_settled: money(position.settled),
    linear_until: until,
    interest_outlook: ahead,
  };
}
