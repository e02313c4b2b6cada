import { z } from 'zod';
import { integer, timestamp, uuid } from '../../sql/types.ts';
import { OUTCOMES, securityLog as table } from '../../sql/users/security-log.ts';
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
    // What was once written is read whatever it holds: the kinds of input check it on its way in.
    id: uuid.readonly(),
    event: z.string().readonly(),
    outcome: z.enum(OUTCOMES).readonly(),
    reason: z.string().nullable().readonly(),
    user_id: uuid.nullable().readonly(),
    attempted_address_hash: z.string().nullable().readonly(),
    subject_id: uuid.nullable().readonly(),
    route: z.string().readonly(),
    ip_address: z.string().nullable().readonly(),
    request_id: z.string().nullable().readonly(),
    occurrences: integer.readonly(),
    created_at: timestamp.readonly(),
  },
  filters: [
    'event',
    'outcome',
    'reason',
    'user_id',
    'attempted_address_hash',
    'subject_id',
    'ip_address',
    'request_id',
    'created_at',
  ],
});
