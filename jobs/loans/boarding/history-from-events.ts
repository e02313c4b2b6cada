import { addDays } from '../../dates.ts';
import { Invalid } from '../../errors.ts';
import type { ScheduleRow } from '../arithmetic/amortize.ts';
import { EVENT_FACTS, type LoanEvent } from '../engine/events.ts';
import type { BroughtHistory } from './replay-history.ts';

/**
 * The history of a loan whose events are known verbatim, such as those of a book that was exported from this platform.
 * Events keep their ids, which decide about the order of a day. `schedule` is the loan's first schedule. Throws
 * `Invalid` if the events do not begin with money that was lent or taken over.
 */
export function historyFromEvents(
  events: readonly LoanEvent[],
  schedule: readonly ScheduleRow[],
): BroughtHistory {
  const sorted = events.toSorted((one, other) =>
    one.effective_date < other.effective_date
      ? -1
      : one.effective_date > other.effective_date
        ? 1
        : 0,
  );
  const boarding = sorted.find((event) => event.kind === 'boarding');
  const first =
    boarding ?? sorted.find(({ kind }) => kind === 'disbursement' || kind === 'draw') ?? sorted[0];
  if (first === undefined) throw new Invalid({ events: 'A history needs at least one event.' });
  return {
    from: first.effective_date,
    ...(boarding && { boarding_id: boarding.id }),
    opening: boarding ? openingOf(boarding) : nothingBefore(first.effective_date),
    schedule,
    events: events
      .filter((event) => event !== boarding)
      .map((event) => ({ ...event, is_replayed: true }) as const)
      .toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    isExported: true,
    translated: [],
  };
}

/** What belongs to the event, or to the takeover that it recorded. */
const OF_THAT_TAKEOVER: readonly string[] = [
  'id',
  'kind',
  'effective_date',
  'is_replayed',
  'takeover',
  'stated_balances',
];

/** The loan was already boarded once: its history begins where that boarding began. */
function openingOf(boarding: Extract<LoanEvent, { kind: 'boarding' }>) {
  const { kind, effective_date } = boarding;
  const facts = Object.fromEntries(
    Object.entries(boarding).filter(([name]) => !OF_THAT_TAKEOVER.includes(name)),
  ) as typeof boarding;
  const paid_through_date = facts.paid_through_date ?? effective_date;
  return EVENT_FACTS[kind].parse({ ...facts, paid_through_date });
}

const nothingBefore = (from: string) => ({
  principal_balance: '0.00',
  paid_through_date: addDays(from, -1),
});
