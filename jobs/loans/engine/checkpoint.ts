import { money } from '../../money.ts';
import type { DayCount, Terms } from '../arithmetic/terms.ts';
import { interestAt } from './interest/interest.ts';
import { feesOwed, type Position } from './position.ts';

/**
 * The fields stored in the loan's row after a fold, so that reading the current state needs no events.
 * Between events interest is linear. SQL computes the same digits from the same fields:
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
 * This holds for every day from accrual_since through accrual_until.
 */
export type Checkpoint = {
  principal_balance: string;
  outstanding_fees: string;
  suspense_balance: string;
  day_count: DayCount;
  rounding_mode: Terms['rounding_mode'];
  /** Null before the loan is funded. */
  accrual_since: string | null;
  accrual_balance: string;
  accrual_rate: string;
  /** Interest of the whole period, ten decimal places. */
  accrual_period_interest: string | null;
  accrual_period_days: number | null;
  is_accruing: boolean;
  /** Interest accrued up to `accrual_since`, ten decimal places. */
  interest_accrued: string;
  interest_settled: string;
  /**
   * The day on which the pace changes, for example because a promotion or a period ends. Refold the loan by
   * then.
   */
  accrual_until: string | null;
  /**
   * The interest owed on the first open due date after `accrual_until`, if nothing happens before. Negative
   * if more is prepaid; null without such a date.
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
    interest_settled: money(position.interest_settled),
    accrual_until: until,
    interest_outlook: ahead,
  };
}
