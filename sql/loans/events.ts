import { z } from 'zod';
import { sql } from '../database/db.ts';

export type EventRow = {
  id: string;
  kind: string;
  effective_date: string;
  details: Record<string, unknown>;
  recorded_on: string;
};

/**
 * All events as one text, each an array of JSON, in the order they became known. Kinds are words of ours,
 * which need no quoting. As objects of JSON the same takes Postgres half as long again.
 */
export const eventsAsText = sql.fragment`
  string_agg(
    '["' || row.id::text || '","' || row.kind || '","' || row.effective_date::text || '","'
      || row.recorded_on::text || '",' || row.details::text || ']',
    ',' order by row.id
  )
`;

type Told = [string, string, string, string, Record<string, unknown>];

/** That text as rows again; nothing where there are none. */
export const EventsFromText = z
  .string()
  .nullable()
  .transform((text) => (JSON.parse(`[${text ?? ''}]`) as Told[]).map(rowOf));

const rowOf = ([id, kind, effective_date, recorded_on, details]: Told): EventRow => ({
  id,
  kind,
  effective_date,
  recorded_on,
  details,
});

export type NewEvent = { id: string; kind: string; effective_date: string; details: unknown };

type Owned = NewEvent & { loan_id: string };

/** One alone is bound value by value: taken from an object it costs Postgres more than to write it. */
export const insertEventsSql = (events: readonly Owned[]) => {
  const [only, ...others] = events;
  return only && others.length === 0 ? appendingOne(only) : appendingAll(events);
};

const appendingOne = ({ id, loan_id, kind, effective_date, details }: Owned) => sql.fragment`
  insert into loan_events (id, loan_id, kind, effective_date, details)
  values (${id}, ${loan_id}, ${kind}, ${effective_date}, ${JSON.stringify(details)}::jsonb)
`;

const appendingAll = (events: readonly Owned[]) => sql.fragment`
  insert into loan_events (id, loan_id, kind, effective_date, details)
  select id, loan_id, kind, effective_date, details
  from jsonb_to_recordset(${JSON.stringify(events)}::jsonb)
    as event (id uuid, loan_id uuid, kind text, effective_date date, details jsonb)
`;
