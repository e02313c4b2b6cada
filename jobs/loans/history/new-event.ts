import { newId } from '../../../sql/new-id.ts';
import { EVENT_FACTS, type EventKind, type EventOf, type FactsOf } from '../engine/events.ts';

/** An event as whoever makes it says it; one that names a record of its own has that record's id. */
type NewEvent<Kind extends EventKind> = {
  id?: string;
  kind: Kind;
  effective_date: string;
} & FactsOf<Kind>;

/**
 * An event that has not been written yet. Its facts are those of its kind: another one is a type error
 * where it is seen, and throws where it is not.
 */
export function newEvent<Kind extends EventKind>(event: NewEvent<Kind>): EventOf<Kind> {
  const { id = newId(), kind, effective_date, ...facts } = event;
  const checked = EVENT_FACTS[kind].parse(facts);
  return { ...checked, id, kind, effective_date } as EventOf<Kind>;
}
