import { z } from 'zod';
import { date, uuid } from '../../../sql/types.ts';
import { mailbox } from './setting-types.ts';

/** Tenant settings for messages to and from borrowers. */
export const communications = z
  .strictObject({
    suppression_hours: z.int().min(0).max(720).default(24),
    quiet_hours: z
      .strictObject({
        start: z.int().min(0).max(23).default(21),
        end: z.int().min(0).max(23).default(8),
      })
      .prefault({}),
    weekly_cap: z.int().min(0).max(100).default(7),
    // Messages that need one of these consents are sent only with it. Other consents block messages only
    // once they are withdrawn.
    required_consents: z
      .array(z.enum(['tcpa_sms', 'email', 'esign']))
      .max(3)
      .default([]),
    from_email: mailbox.default(''),
    // A mailbox whose mail the provider forwards to the platform. A message to it that says "unsubscribe"
    // is honored.
    unsubscribe_email: mailbox.default(''),
    statements_by_email: z.boolean().default(true),
    // The mail house prints and posts letters in daily batches. Without one, letters are fetched one by one
    // from the outbox.
    mail_house: z
      .strictObject({
        batch_at_close: z.boolean().default(false),
        // The SFTP server to which batches are uploaded.
        sftp_server_id: z.union([uuid, z.literal('')]).default(''),
      })
      .prefault({}),
    // Staffed hours in the tenant's time zone: from `start` (inclusive) to `end` (exclusive), on these
    // days. Monday is 1.
    business_hours: z
      .strictObject({
        start: z.int().min(0).max(23).default(9),
        end: z.int().min(1).max(24).default(17),
        days: z.array(z.int().min(1).max(7)).max(7).default([1, 2, 3, 4, 5]),
        // Holidays are those of the Federal Reserve. `closed_dates` adds the tenant's own, such as the day
        // after Thanksgiving.
        is_closed_on_holidays: z.boolean().default(true),
        closed_dates: z.array(date).max(60).default([]),
      })
      .prefault({}),
  })
  .prefault({});
