import { z } from 'zod';
import { sql } from '../database/db.ts';

export const EventRow = z.object({
  id: z.string(),
  kind: z.string(),
  effective_date: z.string(),
  details: z.record(z.string(), z.unknown()),
  recorded_on: z.string(),
});
export type EventRow = z.output<typeof EventRow>;

export type NewEvent = { id: string; kind: string; effective_date: string; details: unknown };

type Owned = NewEvent & { loan_id: string };

/** One alone is bound value by value: taken from an object it costs Postgres more than to write it. */
export const appending = (events: readonly Owned[]) => {
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
