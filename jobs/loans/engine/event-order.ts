import { addDays } from '../../dates.ts';
import type { EventKind, EventOf, LoanEvent } from './events.ts';

/**
 * What comes first on one day. Money goes out before anything is owed; rates and rests change before
 * money is applied; fees and credits of a day are there when its payments come, so that a payoff for
 * the day pays them; a plan is agreed on what the day's payments leave; losses are taken last.
 *
 * Money that waits is applied behind the payments that left it waiting, on the same day too.
 *
 * Money on a claim comes after the charge-off that made it one. What a settlement forgives is the
 * rest that its payments leave. A payoff comes after all else of its day, since it was quoted with
 * all else in it; the penalty for it comes with it. What goes to another servicer is what the whole
 * day leaves.
 */
const ORDER_OF_A_DAY: readonly (EventKind | 'recovery' | 'settled' | 'penalty' | 'payoff')[] = [
  'boarding',
  'disbursement',
  'draw',
  'rate_change',
  'promo',
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

function placeOf(event: LoanEvent): (typeof ORDER_OF_A_DAY)[number] {
  if (event.kind === 'payment' && event.payment_type === 'payoff') return 'payoff';
  if (event.kind === 'payment' && event.payment_type === 'recovery') return 'recovery';
  if (event.kind === 'fee' && event.fee_type === 'prepayment_penalty') return 'penalty';
  if (event.kind === 'forgiveness' && event.settles === true) return 'settled';
  return event.kind;
}

const rankOf = (event: LoanEvent): number => RANK.get(placeOf(event)) ?? 0;

/** An event with the rank that it has on its day. */
type Placed = { event: LoanEvent; rank: number };

/** The order in which events take effect, whatever order they arrived in. */
function comparePlaced(one: Placed, other: Placed): number {
  const [date, otherDate] = [one.event.effective_date, other.event.effective_date];
  if (date !== otherDate) return date < otherDate ? -1 : 1;
  if (one.rank !== other.rank) return one.rank - other.rank;
  if (one.event.id === other.event.id) return 0;
  return one.event.id < other.event.id ? -1 : 1;
}

/**
 * A waiver takes effect right behind its fee, whenever it was entered: nobody owes a waived fee, so
 * a payment between the two goes to something else.
 */
function placing(events: readonly LoanEvent[]): (event: LoanEvent) => Placed {
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
 * The events that count to a day, in order, each dated as it takes effect. A reversed event is as if
 * it had never been, from its own date on; a reversal that is itself reversed does nothing.
 */
export function eventsInForce(events: readonly LoanEvent[], asOf: string): LoanEvent[] {
  const reversals = events.filter((event) => event.kind === 'reversal');
  const isVoid = (id: string, seen: readonly string[] = []): boolean =>
    reversals.some(
      (reversal) =>
        reversal.reverses === id &&
        !seen.includes(reversal.id) &&
        !isVoid(reversal.id, [...seen, id]),
    );
  const targets = new Set(reversals.map((reversal) => reversal.reverses));
  // Most histories have no reversal, and to look for each of a thousand ids takes as long as to order them.
  const standing =
    reversals.length === 0
      ? events
      : events.filter(
          (event) => event.kind !== 'reversal' && (!targets.has(event.id) || !isVoid(event.id)),
        );
  return standing
    .map(placing(standing))
    .filter(({ event }) => event.effective_date <= asOf)
    .toSorted(comparePlaced)
    .map(({ event }) => event);
}

/** The first day on which a promotional rate no longer counts. */
export function firstDayAfterPromo(promo: Pick<EventOf<'promo'>, 'to'>): string {
  return addDays(promo.to, 1);
}
