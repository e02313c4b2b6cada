import { latest } from '../../dates.ts';
import type { EventDraft } from '../engine/events.ts';
import { fundingDate } from './resume-accrual.ts';
import type { Standing } from './standing.ts';

type RateCap = { interest_rate: string; start_date: string; end_date: string | null };

/**
 * The event with which a legal cap of the rate starts. A loan that was funded or boarded later is capped from then
 * on. None if the cap ended before.
 */
export function startOfRateCap(
  loan: Pick<Standing, 'events' | 'state'>,
  { interest_rate, start_date, end_date }: RateCap,
): EventDraft[] {
  const funded = fundingDate(loan);
  if (funded === null || (end_date !== null && end_date < funded)) return [];
  const effective_date = latest(start_date, funded);
  return [{ kind: 'rate_cap', effective_date, interest_rate, to: end_date }];
}
