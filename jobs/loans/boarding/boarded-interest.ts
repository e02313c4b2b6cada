import { newEvent } from '../history/new-event.ts';
import type { ScheduleRow } from '../arithmetic/amortize.ts';
import type { Terms } from '../arithmetic/terms.ts';
import { fold } from '../engine/fold.ts';
import { interestUnpaidSince } from '../schedule/boarded-schedule.ts';
import type { Boarding } from './boarding-input.ts';

/**
 * The interest that a boarded loan owes on the boarding date if the request does not give it. The balance
 * accrues from the paid-through date (default: the boarding date) by the loan's own interest method.
 */
export function interestSincePaid(
  terms: Terms,
  input: Boarding,
  schedule: readonly ScheduleRow[],
  { balance, today }: { balance: string; today: string },
): string {
  const effective_date = interestUnpaidSince(terms, input, { balance, today });
  if (effective_date >= today) return '0.00';
  const boarding = newEvent({
    kind: 'boarding',
    effective_date,
    principal_balance: balance,
    paid_through_date: input.paid_through_date ?? null,
  });
  return fold({ terms, schedule, events: [boarding], as_of: today }).accrued_interest;
}
