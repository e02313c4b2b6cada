import { z } from 'zod';
import { integer, timestamp, uuid } from '../../sql/types.ts';
import { OUTCOMES, securityLog as table } from '../../sql/users/security-log.ts';
import { resource } from '../endpoints/resource.ts';

export const securityLog = resource({
  name: 'SecurityEvent',
  about:
    'An entry of the security log: sign-ins, refusals, changes of access and settings, exports and downloads. The API offers no way to write or delete entries.',
  path: 'security-log',
  area: 'users',
  table,
  read: 'superadmin',
  write: 'superadmin',
  offers: ['list', 'read'],

  fields: {
    // Answers accept any stored value. The input schemas validated it when it was written.
    id: uuid.readonly(),
    event: z.string().readonly(),
    outcome: z.enum(OUTCOMES).readonly(),
    reason: z.string().nullable().readonly(),
    user_id: uuid.nullable().readonly(),
    attempted_identifier: z.string().nullable().readonly(),
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
    'attempted_identifier',
    'subject_id',
    'ip_address',
    'request_id',
    'created_at',
  ],
});
