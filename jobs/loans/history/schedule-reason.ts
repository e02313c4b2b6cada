import type { EventKind, LoanEvent } from '../engine/events.ts';

/**
 * What is said of the event for whose sake the rows of a schedule are others now, and of its reversal,
 * where the name of its kind does not say it.
 */
const WORDS: Partial<Record<EventKind, readonly [happened: string, undone: string]>> = {
  payment: ['payment_found', 'payment_reversed'],
  reimbursement: ['payment_refunded', 'refund_reversed'],
  fee: ['fee_assessed', 'fee_reversed'],
  fee_waiver: ['fee_waived', 'waiver_reversed'],
  service_credit: ['credit_given', 'credit_reversed'],
  suspense_application: ['suspense_applied', 'suspense_application_reversed'],
};

/** An event by which the parties change the plan themselves; it is told by a record of its own. */
const AGREED: readonly EventKind[] = [
  'boarding',
  'disbursement',
  'draw',
  'schedule_agreed',
  'acceleration',
];

/** What is undone by an event: through reversals of reversals to what had happened first. */
function undoneBy(event: LoanEvent, events: readonly LoanEvent[]): LoanEvent | undefined {
  if (event.kind !== 'reversal') return undefined;
  const target = events.find(({ id }) => id === event.reverses);
  const before = events.filter(({ id }) => id !== event.id);
  return (target && undoneBy(target, before)) ?? target;
}

/** Whether the events agree a plan, or undo one that was agreed. */
export const changesAgreedSchedule = (
  fresh: readonly LoanEvent[],
  events: readonly LoanEvent[],
): boolean => fresh.some((event) => AGREED.includes((undoneBy(event, events) ?? event).kind));

/** Of events that come together, the one for whose sake the others come. */
const LEADING: readonly EventKind[] = [...AGREED, 'payment', 'reversal'];

/** Why a version of the schedule came about. */
export function scheduleReason(
  fresh: readonly LoanEvent[],
  events: readonly LoanEvent[],
  today: string,
): string {
  const lead = LEADING.map((kind) => fresh.find((event) => event.kind === kind)).find(Boolean);
  const event = lead ?? fresh[0];
  if (event === undefined) return 'disbursement';
  // A plan is agreed on what the payments of its day leave, whichever comes first.
  if (event.kind === 'payment' && event.effective_date === today) return 'payment_received';
  const undone = undoneBy(event, events);
  if (undone === undefined) return WORDS[event.kind]?.[0] ?? event.kind;
  return WORDS[undone.kind]?.[1] ?? `${undone.kind}_reversed`;
}
