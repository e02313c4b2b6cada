import { z } from 'zod';
import { sql, type Transaction } from '../db.ts';

export type NewEvent = {
  event_type: string;
  loan_id: string | null;
  /** The JSON of what the event is about. */
  data: string;
};

const Written = z.object({ id: z.string() });

/**
 * Writes the event with the very bytes that every receiver will get. Its id is made here, ascending
 * with time, because the relay takes events in the order of their ids.
 */
export const write = (tx: Transaction, { event_type, loan_id, data }: NewEvent) =>
  tx.one(sql.prepared('write_event', Written)`
    with made as materialized (select uuidv7() as id)
    insert into events (id, event_type, loan_id, body)
    select
      made.id, ${event_type}, ${loan_id}::uuid,
      concat(
        '{"event_id":"', made.id,
        '","event_type":', to_json(${event_type}::text),
        ',"timestamp":"', to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        '","tenant_id":"', app.current_tenant(),
        '","data":', ${data}::text, '}'
      )
    from made
    returning id
  `);
