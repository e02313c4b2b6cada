import { z } from 'zod';
import { sql } from '../database/db.ts';

export type EventRow = {
  id: string;
  kind: string;
  effective_date: string;
  details: Record<string, unknown>;
  recorded_on: string;
  is_replayed: boolean;
};

/**
 * All events as one text, each a JSON array, in the order in which they became known. Event kinds are fixed
 * words, so they need no escaping. Building JSON objects would take Postgres 50 % longer.
 */
export const eventsAsText = sql.fragment`
  string_agg(
    '["' || row.id::text || '","' || row.kind || '","' || row.effective_date::text || '","'
      || row.recorded_on::text || '",' || row.details::text
      || case when row.is_replayed then ',true]' else ']' end,
    ',' order by row.id
  )
`;

type EventTuple = [string, string, string, string, Record<string, unknown>, true?];

/** Parses that text into rows; empty if there are no events. */
export const EventsFromText = z
  .string()
  .nullable()
  .transform((text) => (JSON.parse(`[${text ?? ''}]`) as EventTuple[]).map(rowOf));

const rowOf = ([
  id,
  kind,
  effective_date,
  recorded_on,
  details,
  is_replayed,
]: EventTuple): EventRow => ({
  id,
  kind,
  effective_date,
  recorded_on,
  details,
  is_replayed: is_replayed === true,
});

/** The reversal in force that undoes the event. Null: the event is in force. */
export type EventReversal = { id: string; reversed_by: string | null };

export type NewLoanEvent = EventReversal & {
  kind: string;
  effective_date: string;
  details: unknown;
  is_replayed: boolean;
};

type Owned = NewLoanEvent & { loan_id: string };

/** A single event uses bound values, because parsing JSON costs Postgres more than writing the row. */
export const insertEventsSql = (events: readonly Owned[]) => {
  const [only, ...others] = events;
  return only && others.length === 0 ? appendOne(only) : appendAll(events);
};

const appendOne = ({
  id,
  loan_id,
  kind,
  effective_date,
  details,
  reversed_by,
  is_replayed,
}: Owned) => sql.fragment`
  insert into loan_events (id, loan_id, kind, effective_date, details, reversed_by, is_replayed)
  values (${id}, ${loan_id}, ${kind}, ${effective_date}, ${JSON.stringify(details)}::jsonb, ${reversed_by}, ${is_replayed})
`;

const appendAll = (events: readonly Owned[]) => sql.fragment`
  insert into loan_events (id, loan_id, kind, effective_date, details, reversed_by, is_replayed)
  select id, loan_id, kind, effective_date, details, reversed_by, is_replayed
  from jsonb_to_recordset(${JSON.stringify(events)}::jsonb) as event (
    id uuid, loan_id uuid, kind text, effective_date date, details jsonb, reversed_by uuid, is_replayed boolean
  )
`;

/** Stores which reversals undo earlier events. No other column of an event changes. */
export const updateReversalsSql = (reversals: readonly EventReversal[]) => sql.fragment`
  update loan_events as event set reversed_by = given.reversed_by
  from jsonb_to_recordset(${JSON.stringify(reversals)}::jsonb) as given (id uuid, reversed_by uuid)
  where event.id = given.id
`;
