import { z } from 'zod';
import { ACTOR_TYPES } from '../../jobs/work.ts';
import { text, timestamp, uuid } from '../../sql/types.ts';

/** One change of one record: who made it, and the values before it. */
export const historyFields = {
  id: uuid,
  entity_type: text.describe('The table of the record that changed.'),
  entity_id: uuid.describe('The record that changed.'),
  borrower_id: uuid.nullable(),
  loan_id: uuid.nullable(),
  action: text.describe('What was done.'),
  actor_type: z
    .enum(ACTOR_TYPES)
    .describe('Who did it: a user, a borrower, a message provider or the system.'),
  actor_id: uuid.nullable().describe('The user who did it.'),
  actor_email: z.string().nullable().describe('The email address of that user.'),
  changes: z
    .record(
      z.string(),
      z.object({
        old: z.unknown().describe('The value before the change. Null if the record is new.'),
        new: z.unknown().describe('The value after the change.'),
      }),
    )
    .describe(
      'The fields that changed, with the old and the new value. Numbers of persons and accounts are masked.',
    ),
  reason: z.string().nullable().describe('The reason and the notes of the request.'),
  request_id: z.string().nullable().describe('The request, as in its answer.'),
  ip_address: z.string().nullable().describe('The address that the request came from.'),
  created_at: timestamp,
};
