import type { EventKind, LoanEvent } from './events.ts';
import { findReversals } from './reversals.ts';

/**
 * The order of events within one day:
 *
 * - Money goes out before anything is owed.
 * - Rates and accrual stops change before money is applied.
 * - Fees and credits come before payments, so that a payoff of the day pays them.
 * - Suspense money is applied after the payments that created it.
 * - A schedule is agreed on the balance that the day's payments leave.
 * - Losses come late. Recoveries follow the charge-off, and a settlement forgives the rest that its
 *   payments leave.
 * - A payoff and its penalty come after every other change to the debt, because the quote included them.
 * - A servicing transfer moves the balance at the end of the day.
 */
const ORDER_OF_A_DAY: readonly (EventKind | 'recovery' | 'settled' | 'penalty' | 'payoff')[] = [
  'boarding',
  'disbursement',
  'draw',
  'rate_change',
  'promo',
  'rate_cap',
  'accrual_start',
  'accrual_stop',
  'delinquency_pause',
  'capitalization',
  'acceleration',
  'fee',
  'service_credit',
  'forgiveness',
  'payment',
  'suspense_application',
  'reimbursement',
  'write_off',
  'schedule_agreed',
  'charge_off',
  'recovery',
  'liquidation',
  'settled',
  'penalty',
  'payoff',
  'servicing_transfer',
];

const RANK = new Map(ORDER_OF_A_DAY.map((place, index) => [place, index]));

function orderKeyOf(event: LoanEvent): (typeof ORDER_OF_A_DAY)[number] {
  if (event.kind === 'payment' && event.payment_type === 'payoff') return 'payoff';
  if (event.kind === 'payment' && event.payment_type === 'recovery') return 'recovery';
  if (event.kind === 'fee' && event.fee_type === 'prepayment_penalty') return 'penalty';
  if (event.kind === 'forgiveness' && event.settles === true) return 'settled';
  return event.kind;
}

const rankOf = (event: LoanEvent): number => RANK.get(orderKeyOf(event)) ?? 0;

type RankedEvent = { event: LoanEvent; rank: number };

/** Compares events by date, rank and id, regardless of the order in which they were recorded. */
function compareRanked(one: RankedEvent, other: RankedEvent): number {
  const [date, otherDate] = [one.event.effective_date, other.event.effective_date];
  if (date !== otherDate) return date < otherDate ? -1 : 1;
  if (one.rank !== other.rank) return one.rank - other.rank;
  if (one.event.id === other.event.id) return 0;
  return one.event.id < other.event.id ? -1 : 1;
}

/**
 * A waiver takes effect directly after its fee, whenever it was entered. The fee is then never owed, so a
 * payment between the two dates pays other dues.
 */
function createRanking(events: readonly LoanEvent[]): (event: LoanEvent) => RankedEvent {
  const fees = new Map<string, LoanEvent>();
  for (const event of events) {
    if (event.kind === 'fee') fees.set(event.fee_id ?? event.id, event);
    if (event.kind === 'boarding') fees.set(event.id, event);
  }
  return (event) => {
    const fee = event.kind === 'fee_waiver' ? fees.get(event.fee_id) : undefined;
    if (fee === undefined) return { event, rank: rankOf(event) };
    return {
      event: { ...event, effective_date: fee.effective_date },
      rank: rankOf(fee) + 0.5,
    };
  };
}

/**
 * The effective events up to `asOf`, in order, each dated as it takes effect. Reversed events are left out
 * (`findReversals`), and so are reversals.
 */
export function eventsInForce(events: readonly LoanEvent[], asOf: string): LoanEvent[] {
  const reversals = findReversals(events);
  // Most histories have no reversal, and looking up every id would take as long as sorting them.
  const inForce =
    reversals.size === 0
      ? events
      : events.filter(({ id, kind }) => kind !== 'reversal' && !reversals.has(id));
  return inForce
    .map(createRanking(inForce))
    .filter(({ event }) => event.effective_date <= asOf)
    .toSorted(compareRanked)
    .map(({ event }) => event);
}
