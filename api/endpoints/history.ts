import { z } from 'zod';
import { ACTOR_TYPES } from '../../jobs/work.ts';
import { text, timestamp, uuid } from '../../sql/types.ts';

/** One change of one record: who made it, and the values before it. */
export const historyFields = {
  id: uuid,
  entity_type: text,
  entity_id: uuid,
  borrower_id: uuid.nullable(),
  loan_id: uuid.nullable(),
  action: text,
  actor_type: z.enum(ACTOR_TYPES),
  actor_id: uuid.nullable(),
  actor_email: z.string().nullable(),
  changes: z.record(z.string(), z.object({ old: z.unknown(), new: z.unknown() })),
  reason: z.string().nullable(),
  request_id: z.string().nullable(),
  ip_address: z.string().nullable(),
  created_at: timestamp,
};
