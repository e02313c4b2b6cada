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
    event: z.string().readonly().describe('What happened, such as `sign_in`.'),
    outcome: z.enum(OUTCOMES).readonly().describe('Whether it was done, was refused or failed.'),
    reason: z
      .string()
      .nullable()
      .readonly()
      .describe('Why it was refused or failed. Null if it was done.'),
    user_id: uuid
      .nullable()
      .readonly()
      .describe('The signed-in user. Null if nobody was signed in.'),
    attempted_identifier: z
      .string()
      .nullable()
      .readonly()
      .describe(
        'A hash of the email address that was tried at a sign-in, the same for the same address. Null for other events.',
      ),
    subject_id: uuid
      .nullable()
      .readonly()
      .describe('The record or user that the event is about. Null if it is about none.'),
    route: z.string().readonly().describe('The operation that was called.'),
    ip_address: z
      .string()
      .nullable()
      .readonly()
      .describe('The address of the client. Null for events of the platform.'),
    request_id: z
      .string()
      .nullable()
      .readonly()
      .describe('The X-Request-Id of the request. Null for events of the platform.'),
    occurrences: integer
      .readonly()
      .describe('How many such refusals the row stands for. Usually 1.'),
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
