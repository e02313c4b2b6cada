import * as events from '../../sql/webhooks/events.ts';
import type { Work } from '../work.ts';
import type { EventData, EventType } from './event-types.ts';

/**
 * Tells subscribers what happened, if and only if the work commits. The envelope is serialised
 * once, here, and these bytes are what is signed and sent on every attempt.
 */
export async function emit<Type extends EventType>(
  work: Work,
  event_type: Type,
  data: EventData<Type>,
) {
  await emitAll(work, event_type, [data]);
}

/** The same for many that happened at once, with one statement. */
export function emitAll<Type extends EventType>(
  { tx }: Work,
  event_type: Type,
  all: readonly EventData<Type>[],
) {
  const told = all.map((data) => ({
    event_type,
    loan_id: 'loan_id' in data ? data.loan_id : null,
    data: JSON.stringify(data),
  }));
  return events.write(tx, told);
}
