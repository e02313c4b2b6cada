import { newId } from '../../../sql/new-id.ts';
import { addDays } from '../../dates.ts';
import { Invalid } from '../../errors.ts';
import type { BroughtHistory } from '../../loans/boarding/replay-history.ts';
import { EVENT_FACTS, type FactsOf, type LoanEvent } from '../../loans/engine/events.ts';
import type { ScheduleRow } from '../../loans/arithmetic/amortize.ts';
import type { BookRow } from '../format/book-files.ts';

type EventRow = BookRow<'events'>;

/** Facts that name another event or record. They get the new ids too. */
const NAMES_IDS = /^(reverses|fee_id|payment_id|disbursement_id)$/;

/**
 * The history of a loan from its events and its first schedule, as another installation of this platform exported them.
 * Ids are new, and their order is kept, because it orders the events of a day. The fold starts with the boarding there,
 * or with the first day of a loan that was made there. Throws `Invalid` if an event is not one of ours.
 */
export function broughtHistory(
  events: readonly EventRow[],
  schedule: readonly BookRow<'schedules'>[],
): BroughtHistory {
  const ids = new Map<string, string>();
  const idFor = (old: string) => {
    const known = ids.get(old) ?? newId();
    ids.set(old, known);
    return known;
  };
  const ordered = events.toSorted((one, other) => (one.event_id < other.event_id ? -1 : 1));
  // First the events, so that their new ids have their order.
  for (const { event_id } of ordered) idFor(event_id);
  const read = ordered.map((row) => readEvent(row, idFor));
  const boarding = read.find((event) => event.kind === 'boarding');
  const from = boarding?.effective_date ?? earliest(read);
  return {
    from,
    opening: boarding ? openingOf(boarding) : madeThere(from),
    schedule: schedule
      .toSorted((one, other) => one.period_number - other.period_number)
      .map(scheduleRow),
    events: read.filter((event) => event !== boarding),
    translated: [],
  };
}

const earliest = (events: readonly LoanEvent[]) =>
  events.map(({ effective_date }) => effective_date).toSorted()[0] ?? '';

/** The loan was made there: its own disbursement or draw brings the principal. */
const madeThere = (from: string): FactsOf<'boarding'> => ({
  principal_balance: '0.00',
  // An installment that is due on the first day is not paid yet.
  paid_through_date: addDays(from, -1),
});

/** The balances with which the loan was boarded there. What its history added up to is computed again. */
function openingOf(event: LoanEvent): FactsOf<'boarding'> {
  if (event.kind !== 'boarding') throw new Error('The opening is a boarding.');
  const {
    id: _id,
    kind: _kind,
    effective_date: _date,
    is_replayed: _replayed,
    takeover: _takeover,
    stated_balances: _stated,
    ...facts
  } = event;
  // A default of the boarding there, which would be another day here.
  return { ...facts, paid_through_date: facts.paid_through_date ?? event.effective_date };
}

function readEvent(
  { event_id, kind, effective_date, facts }: EventRow,
  idFor: (old: string) => string,
) {
  const checked = EVENT_FACTS[kind].safeParse(mapIds(facts, idFor));
  if (!checked.success) {
    const [issue] = checked.error.issues;
    const place = issue?.path.join('.') ?? '';
    throw new Invalid({
      facts: `Does not fit an event of the kind ${kind}: ${place} ${issue?.message ?? ''}`,
    });
  }
  return {
    ...checked.data,
    id: idFor(event_id),
    kind,
    effective_date,
    is_replayed: true,
  } as LoanEvent;
}

function mapIds(value: unknown, idFor: (old: string) => string): unknown {
  if (Array.isArray(value)) return value.map((part) => mapIds(part, idFor));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key,
      NAMES_IDS.test(key) && typeof part === 'string' ? idFor(part) : mapIds(part, idFor),
    ]),
  );
}

const scheduleRow = (row: BookRow<'schedules'>): ScheduleRow => ({
  period_number: row.period_number,
  due_date: row.due_date,
  payment_amount: row.payment_amount,
  principal_amount: row.principal_amount,
  interest_amount: row.interest_amount,
  fees_amount: row.fees_amount ?? '0.00',
  beginning_balance: row.beginning_balance,
  ending_balance: row.ending_balance,
  days_in_period: row.days_in_period,
});
