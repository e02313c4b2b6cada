import { z } from 'zod';
import { integer, ownJson, timestamps, timestamp, uuid } from '../../sql/types.ts';
import { deadLetters as table } from '../../sql/webhooks/dead-letters.ts';
import { resource } from '../endpoints/resource.ts';

export const deadLetters = resource({
  name: 'DeadLetter',
  about:
    'A delivery whose attempts have all failed. Send it again with POST /webhooks/{id}/replay.',
  path: 'dead-letters',
  area: 'webhooks',
  table,
  read: 'admin',
  write: 'admin',
  offers: [],

  fields: {
    id: uuid.readonly(),
    subscription_id: uuid.readonly(),
    delivery_id: uuid.readonly(),
    event_id: uuid.readonly(),
    event_type: z.string().readonly(),
    payload: ownJson.readonly().describe('The body that could not be delivered.'),
    response_status: integer
      .nullable()
      .readonly()
      .describe('The status of the last answer. Null if there was none.'),
    response_body: z
      .string()
      .nullable()
      .readonly()
      .describe('The beginning of the last answer. Null if there was none.'),
    error: z.string().nullable().readonly().describe('Why the last attempt failed.'),
    attempted_at: timestamp.readonly().describe('When the last attempt was made.'),
    retry_count: integer
      .readonly()
      .describe('How often the delivery was repeated after its first attempt.'),
    status: z
      .enum(['dead', 'retried', 'resolved'])
      .readonly()
      .describe('Whether it is lost, is being sent again, or has arrived after all.'),
    ...timestamps,
  },
  filters: ['event_type', 'status', 'response_status', 'delivery_id', 'event_id'],
});
