import * as events from '../../sql/webhooks/events.ts';
import type { Work } from '../work.ts';
import type { EventData, EventType } from './event-types.ts';

/**
 * Publishes an event to subscribers if and only if the transaction commits. The data is serialized here
 * once, and all attempts sign and send the same bytes.
 */
export async function emit<Type extends EventType>(
  work: Work,
  event_type: Type,
  data: EventData<Type>,
) {
  await emitAll(work, event_type, [data]);
}

/** Publishes many events of one type with a single statement. */
export function emitAll<Type extends EventType>(
  { tx }: Work,
  event_type: Type,
  all: readonly EventData<Type>[],
) {
  const rows = all.map((data) => ({
    event_type,
    loan_id: 'loan_id' in data ? data.loan_id : null,
    data: JSON.stringify(data),
  }));
  return events.writeEvents(tx, rows);
}
