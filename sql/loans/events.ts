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

export const appending = (events: readonly (NewEvent & { loan_id: string })[]) => sql.fragment`
  insert into loan_events (id, loan_id, kind, effective_date, details)
  select id, loan_id, kind, effective_date, details
  from jsonb_to_recordset(${JSON.stringify(events)}::jsonb)
    as event (id uuid, loan_id uuid, kind text, effective_date date, details jsonb)
`;
