import { z } from 'zod';
import { date, uuid } from '../../../sql/types.ts';
import { mailbox, settingGroup } from './setting-types.ts';

const hour = z.int().min(0).max(23);

/** Tenant settings for messages to and from borrowers. */
export const communications = settingGroup('Messages to and from borrowers.', {
  suppression_hours: z
    .int()
    .min(0)
    .max(720)
    .default(24)
    .describe(
      'Hours in which a borrower gets no second message of the same type on the same channel. Notices that the law requires and answers to a borrower are always sent. 0: no limit.',
    ),
  quiet_hours: settingGroup(
    "When no text messages about collection are sent, in the borrower's time zone. A new text is blocked; one that was already queued waits until `end`.",
    {
      start: hour.default(21).describe('The first quiet hour of the day, 0 to 23.'),
      end: hour
        .default(8)
        .describe('The hour at which quiet hours end. Equal to `start`: no quiet hours.'),
    },
  ),
  weekly_cap: z
    .int()
    .min(0)
    .max(100)
    .default(7)
    .describe('The maximum number of collection messages about one loan in seven days. 0: none.'),
  required_consents: z
    .array(z.enum(['tcpa_sms', 'email', 'esign']))
    .max(3)
    .default([])
    .describe(
      'Messages are sent only with these consents of the borrower: `tcpa_sms` for texts, `email` for emails, `esign` for emails that replace a notice required in writing. Other consents block a message only after they were revoked.',
    ),
  from_email: mailbox
    .default('')
    .describe("The sender of emails. Default: no-reply@ and the tenant's first domain."),
  unsubscribe_email: mailbox
    .default('')
    .describe(
      'A mailbox whose mail your provider forwards to the platform, offered in the List-Unsubscribe header. A message to it that says "unsubscribe" is honored. Empty: not offered.',
    ),
  statements_by_email: z
    .boolean()
    .default(true)
    .describe(
      'Whether statements go by email to borrowers with an email address. Otherwise they go by letter.',
    ),
  mail_house: settingGroup(
    'The mail house that prints and posts letters in batches. Without one, letters are fetched one by one from the outbox.',
    {
      batch_at_close: z
        .boolean()
        .default(false)
        .describe('Whether each close of business combines the waiting letters into a batch.'),
      sftp_server_id: z
        .union([uuid, z.literal('')])
        .default('')
        .describe(
          'The SFTP server to which batches are uploaded. Empty: download batches with POST /mail-batches/{id}/download.',
        ),
    },
  ),
  business_hours: settingGroup(
    "When staff are available, in the tenant's time zone. Auto responses of the type `out_of_hours` answer outside these hours.",
    {
      start: hour.default(9).describe('The first staffed hour of the day, 0 to 23.'),
      end: z
        .int()
        .min(1)
        .max(24)
        .default(17)
        .describe('The hour at which staffed hours end, 1 to 24.'),
      days: z
        .array(z.int().min(1).max(7))
        .max(7)
        .default([1, 2, 3, 4, 5])
        .describe('The staffed days of the week. Monday is 1.'),
      is_closed_on_holidays: z
        .boolean()
        .default(true)
        .describe('Whether holidays of the Federal Reserve are not staffed.'),
      closed_dates: z
        .array(date)
        .max(60)
        .default([])
        .describe('Further days that are not staffed, such as the day after Thanksgiving.'),
    },
  ),
});
