import { z } from 'zod';
import { prepared, sql, deferred, type Transaction } from '../database/db.ts';
import { batchByTransaction } from '../database/batch-by-transaction.ts';

export type NewWebhookEvent = {
  event_type: string;
  loan_id: string | null;
  data: string;
};

/** The event type of a test. It cannot be subscribed to. */
export const TEST_EVENT = 'webhook.test';

const Written = z.object({ id: z.string() });

/**
 * Writes events with the exact bytes that every receiver gets. The process creates ascending ids, because
 * the relay processes events in the order of their ids.
 */
export const writeEvents = batchByTransaction(
  async (tx, several: readonly (readonly NewWebhookEvent[])[]) => {
    const events = several.flat();
    if (events.length > 0) await tx.query(deferred(insertEvents(events, false)));
    return several.map(() => undefined);
  },
);

/** Writes an event that the caller delivers itself, and returns its id. */
export const writeRelayed = (tx: Transaction, event: NewWebhookEvent) =>
  tx.oneFirst(prepared(insertEvents([event], true)));

const insertEvents = (events: readonly NewWebhookEvent[], is_relayed: boolean) =>
  sql.type(Written)`
    with made as materialized (
      select uuidv7() as id, event.*
      from ${sql.unnest(
        events.map(({ event_type, loan_id, data }) => [event_type, loan_id, data]),
        ['text', 'uuid', 'text'],
      )} as event (event_type, loan_id, data)
    )
    insert into events (id, event_type, loan_id, relayed_at, body)
    select
      made.id, made.event_type, made.loan_id, case when ${is_relayed}::boolean then now() end,
      concat(
        '{"event_id":"', made.id,
        '","event_type":', to_json(made.event_type),
        ',"timestamp":"', to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        '","tenant_id":"', app.current_tenant(),
        '","data":', made.data, '}'
      )
    from made
    returning id
  `;
