import { z } from 'zod';
import { integer, text, timestamp, uuid } from '../../sql/types.ts';
import { securityLog as table } from '../../sql/users/security-log.ts';
import { resource } from '../endpoints/resource.ts';

/** Who came in, who was turned away, who changed what others may do; nobody writes here by the API. */
export const securityLog = resource({
  name: 'SecurityEvent',
  path: 'security-log',
  area: 'users',
  table,
  read: 'superadmin',
  write: 'superadmin',
  offers: ['list', 'read'],

  fields: {
    id: uuid.readonly(),
    event: text.readonly(),
    outcome: z.enum(['done', 'refused', 'failed']).readonly(),
    reason: text.nullable().readonly(),
    user_id: uuid.nullable().readonly(),
    tried_as: text.nullable().readonly(),
    subject_id: uuid.nullable().readonly(),
    route: text.readonly(),
    ip_address: text.nullable().readonly(),
    request_id: text.nullable().readonly(),
    occurrences: integer.readonly(),
    created_at: timestamp.readonly(),
  },
  filters: [
    'event',
    'outcome',
    'reason',
    'user_id',
    'tried_as',
    'subject_id',
    'ip_address',
    'request_id',
    'created_at',
  ],
});
