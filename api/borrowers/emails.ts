import { z } from 'zod';
import { emails as table } from '../../sql/borrowers/contacts.ts';
import { emailAddress, flag, timestamps, timestamp, uuid } from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';
import { contactOperations } from './contact-operations.ts';

export const emails = resource({
  name: 'Email',
  path: 'emails',
  about: 'An email address of a borrower.',
  area: 'borrowers',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['read', 'update', 'archive'],

  fields: {
    id: uuid.readonly(),
    borrower_id: uuid,
    email: emailAddress.describe(
      'The address, stored in lower case. A change resets its verification.',
    ),
    email_type: z
      .enum(['personal', 'work', 'other'])
      .default('personal')
      .describe('Classifies the address.'),
    is_primary: flag
      .default(false)
      .describe(
        'Makes it the address for messages, instead of the present one. The first address is always primary.',
      ),
    is_verified: flag.readonly().describe('Whether the address was verified.'),
    verified_at: timestamp.nullable().readonly().describe('When it was verified.'),
    status: z
      .enum(['active', 'bounced', 'complained', 'unsubscribed'])
      .default('active')
      .describe(
        '`bounced`, `complained` and `unsubscribed` block emails to it. The server also sets them from delivery reports.',
      ),
    last_bounce_at: timestamp.nullable().readonly().describe('When an email to it last bounced.'),
    is_archived: flag.readonly(),
    ...timestamps,
  },
  fixed: ['borrower_id'],
  filters: ['borrower_id', 'email', 'email_type', 'is_primary', 'status', 'is_archived'],
  ...contactOperations('emails'),
});
