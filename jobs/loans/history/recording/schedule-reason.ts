import type { EventKind, LoanEvent } from '../../engine/events.ts';
import { findReversals } from '../../engine/reversals.ts';

/** Reasons for schedule changes by event kind, and for its reversal. Default: the kind itself. */
const REASONS: Partial<Record<EventKind, readonly [happened: string, undone: string]>> = {
  payment: ['payment_found', 'payment_reversed'],
  reimbursement: ['payment_refunded', 'refund_reversed'],
  fee: ['fee_assessed', 'fee_reversed'],
  fee_waiver: ['fee_waived', 'waiver_reversed'],
  service_credit: ['credit_given', 'credit_reversed'],
  rate_cap: ['rate_capped', 'rate_cap_withdrawn'],
  suspense_application: ['suspense_applied', 'suspense_application_reversed'],
};

/** Events by which the parties change the schedule. Each has its own record and notice. */
const AGREED: readonly EventKind[] = [
  'boarding',
  'disbursement',
  'draw',
  'schedule_agreed',
  'acceleration',
];

/** The original event that a reversal undoes, following reversals of reversals. */
function findReversedEvent(event: LoanEvent, events: readonly LoanEvent[]): LoanEvent | undefined {
  if (event.kind !== 'reversal') return undefined;
  const target = events.find(({ id }) => id === event.reverses);
  const before = events.filter(({ id }) => id !== event.id);
  return (target && findReversedEvent(target, before)) ?? target;
}

/** True if the events agree a schedule or reverse such an agreement. */
export const changesAgreedSchedule = (
  newEvents: readonly LoanEvent[],
  events: readonly LoanEvent[],
): boolean =>
  newEvents.some((event) => AGREED.includes((findReversedEvent(event, events) ?? event).kind));

/** If events are recorded together, the first of these kinds gives the reason. */
const PRIORITY_KINDS: readonly EventKind[] = [...AGREED, 'payment', 'reversal'];

/** The reason for a schedule version. */
export function scheduleReason(
  newEvents: readonly LoanEvent[],
  events: readonly LoanEvent[],
  today: string,
): string {
  const lead = PRIORITY_KINDS.map((kind) => newEvents.find((event) => event.kind === kind)).find(
    Boolean,
  );
  const event = lead ?? newEvents[0];
  if (event === undefined) return 'disbursement';
  // A schedule is always agreed on the balance after the day's payments, even if a payment is recorded
  // later.
  if (event.kind === 'payment' && event.effective_date === today) return 'payment_received';
  const undone = findReversedEvent(event, events);
  if (undone === undefined) return REASONS[event.kind]?.[0] ?? event.kind;
  const isInForceAgain = !findReversals(events).has(undone.id);
  if (isInForceAgain) return REASONS[undone.kind]?.[0] ?? undone.kind;
  return REASONS[undone.kind]?.[1] ?? `${undone.kind}_reversed`;
}
