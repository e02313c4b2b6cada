import { z } from 'zod';
import { date, uuid } from '../../sql/types.ts';
import { mailbox } from './setting-types.ts';

/** What a tenant sets about messages to borrowers, and what comes back. */
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
    // Without these nothing is sent that needs them; else only a consent that is over forbids it.
    required_consents: z
      .array(z.enum(['tcpa_sms', 'email', 'esign']))
      .max(3)
      .default([]),
    from_email: mailbox.default(''),
    // A mailbox whose mail the provider brings: one to it that says "unsubscribe" is obeyed.
    unsubscribe_email: mailbox.default(''),
    statements_by_email: z.boolean().default(true),
    // Who prints and posts the letters of a day: without it they are fetched one by one from the outbox.
    mail_house: z
      .strictObject({
        batch_at_close: z.boolean().default(false),
        // The server that each batch is put on.
        sftp_server_id: z.union([uuid, z.literal('')]).default(''),
      })
      .prefault({}),
    // When somebody is there, by the tenant's clock: from the hour of `start` until that of `end`, on
    // these days, of which Monday is 1.
    business_hours: z
      .strictObject({
        start: z.int().min(0).max(23).default(9),
        end: z.int().min(1).max(24).default(17),
        days: z.array(z.int().min(1).max(7)).max(7).default([1, 2, 3, 4, 5]),
        // Holidays are those of the Federal Reserve; the dates are days of the tenant's own, such as the day after Thanksgiving.
        is_closed_on_holidays: z.boolean().default(true),
        closed_dates: z.array(date).max(60).default([]),
      })
      .prefault({}),
  })
  .prefault({});
