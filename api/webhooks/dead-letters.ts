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
    payload: ownJson.readonly(),
    response_status: integer.nullable().readonly(),
    response_body: z.string().nullable().readonly(),
    error: z.string().nullable().readonly(),
    attempted_at: timestamp.readonly(),
    retry_count: integer.readonly(),
    status: z.enum(['dead', 'retried', 'resolved']).readonly(),
    ...timestamps,
  },
  filters: ['event_type', 'status', 'response_status', 'delivery_id', 'event_id'],
});
