import { eventsInForce } from '../engine/event-order.ts';
import type { AccrualStopReason, EventDraft, EventOf } from '../engine/events.ts';
import type { Standing } from './standing.ts';

const FUNDINGS: readonly string[] = ['disbursement', 'draw', 'boarding'];

/** The first funding or boarding date. Null before any funding. */
export function fundingDate({ events, state }: Pick<Standing, 'events' | 'state'>): string | null {
  const first = eventsInForce(events, state.as_of).find(({ kind }) => FUNDINGS.includes(kind));
  return first?.effective_date ?? null;
}

/** The last event that stopped or started accrual for this reason. */
export const lastAccrualChange = (
  { events, state }: Pick<Standing, 'events' | 'state'>,
  reason: string,
) =>
  eventsInForce(events, state.as_of).findLast(
    (event): event is EventOf<'accrual_stop'> | EventOf<'accrual_start'> =>
      (event.kind === 'accrual_stop' || event.kind === 'accrual_start') && event.reason === reason,
  );

/**
 * The event that resumes accrual. If the stop is on the same day, reverses the stop instead. The order of a
 * day puts starts before stops, so that one stop can follow another on the same day.
 */
export function resumeAccrual(
  loan: Pick<Standing, 'events' | 'state'>,
  on: string,
  details: { reason: AccrualStopReason; catch_up?: boolean },
): EventDraft {
  const last = lastAccrualChange(loan, details.reason);
  if (last?.kind === 'accrual_stop' && last.effective_date === on)
    return { kind: 'reversal', effective_date: loan.state.as_of, reverses: last.id };
  return { kind: 'accrual_start', effective_date: on, ...details };
}
