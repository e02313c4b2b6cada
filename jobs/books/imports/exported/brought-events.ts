import { newId } from '../../../../sql/new-id.ts';
import { Invalid } from '../../../errors.ts';
import { historyFromEvents } from '../../../loans/boarding/history-from-events.ts';
import type { BroughtHistory } from '../../../loans/boarding/replay-history.ts';
import { EVENT_FACTS, type LoanEvent } from '../../../loans/engine/events.ts';
import type { ScheduleRow } from '../../../loans/arithmetic/amortize.ts';
import type { BookRow } from '../../format/book-files.ts';

/** What the history needs of a row of `events.csv`, and of `schedules.csv`. */
export type EventRow = Pick<BookRow<'events'>, 'event_id' | 'kind' | 'effective_date' | 'facts'>;
export type InstallmentRow = Omit<
  BookRow<'schedules'>,
  'loan_number' | 'paid_amount' | 'paid_date'
>;

/** A history, with the new ids of its events by their old ones. */
export type ExportedHistory = { history: BroughtHistory; eventIds: ReadonlyMap<string, string> };

/** Facts that name another event or record. They get the new ids too. */
const NAMES_IDS = /^(reverses|fee_id|payment_id|disbursement_id)$/;

/**
 * The history of a loan from its events and its first schedule, as another installation of this platform exported them.
 * Ids are new, and their order is kept, because it orders the events of a day. Throws `Invalid` if an event is not one of
 * ours.
 */
export function broughtHistory(
  events: readonly EventRow[],
  schedule: readonly InstallmentRow[],
): ExportedHistory {
  const ids = new Map<string, string>();
  const idFor = (old: string) => {
    const known = ids.get(old) ?? newId();
    ids.set(old, known);
    return known;
  };
  const ordered = events.toSorted((one, other) => (one.event_id < other.event_id ? -1 : 1));
  // First the events, so that their new ids have their order.
  for (const { event_id } of ordered) idFor(event_id);
  const history = historyFromEvents(
    ordered.map((row) => readEvent(row, idFor)),
    schedule.toSorted((one, other) => one.period_number - other.period_number).map(scheduleRow),
  );
  return { history, eventIds: ids };
}

/** Throws `Invalid` if the facts of an event are not those of its kind. */
export const assertEventFacts = (row: EventRow): void => void readEvent(row, newId);

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

const scheduleRow = (row: InstallmentRow): ScheduleRow => ({
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
