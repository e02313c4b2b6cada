import { newId } from '../../../sql/new-id.ts';
import {
  EVENT_FACTS,
  type EventDraft,
  type EventKind,
  type EventOf,
  type FactsOf,
  type LoanEvent,
} from '../engine/events.ts';

/** The input of `newEvent`. Pass the id of the record that the event belongs to. Default: a new id. */
type NewEvent<Kind extends EventKind> = {
  id?: string;
  kind: Kind;
  effective_date: string;
  is_replayed?: true;
} & FactsOf<Kind>;

/** Creates an event that is not yet recorded. Throws if its facts do not belong to its kind. */
export function newEvent<Kind extends EventKind>(event: NewEvent<Kind>): EventOf<Kind> {
  const { id = newId(), kind, effective_date, is_replayed, ...facts } = event;
  const checked = EVENT_FACTS[kind].parse(facts);
  const mark = is_replayed ? { is_replayed } : {};
  return { ...checked, id, kind, effective_date, ...mark } as EventOf<Kind>;
}

/** Creates the events of a workout (`jobs/loans/agreed`) so that they can be recorded. */
export const newEvents = (drafts: readonly EventDraft[]): LoanEvent[] =>
  drafts.map((draft) => newEvent(draft as NewEvent<EventKind>) as LoanEvent);
