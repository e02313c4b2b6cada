import { z } from 'zod';
import {
  retryDelivery,
  noFailedDelivery,
  tapeRemoved,
} from '../../jobs/portfolios/deliver-tape.job.ts';
import { tapeDeliveries as table } from '../../sql/portfolios/tape-deliveries.ts';
import { flag, integer, timestamps, timestamp, uuid } from '../../sql/types.ts';
import { action, resource } from '../endpoints/resource.ts';

/** The deliveries of a tape to the receivers in its config, with their outcome. */
export const tapeDeliveries = resource({
  name: 'TapeDelivery',
  path: 'tape-deliveries',
  about: 'The delivery of a tape to one receiver.',
  area: 'portfolios',
  table,
  read: 'viewer',
  write: 'admin',
  offers: [],

  fields: {
    id: uuid.readonly(),
    loan_tape_id: uuid.readonly().describe('The tape.'),
    recipient: z.string().readonly().describe('The email address or the server.'),
    sftp_server_id: uuid.nullable().readonly().describe('The server.'),
    attach_file: flag.readonly().describe('Whether the email contains the file.'),
    status: z
      .enum(['pending', 'sent', 'failed', 'superseded'])
      .readonly()
      .describe('The state of the delivery.'),
    attempts: integer.readonly().describe('How often it was tried.'),
    error: z.string().nullable().readonly().describe('Why it failed.'),
    sent_at: timestamp.nullable().readonly().describe('When it was delivered.'),
    ...timestamps,
  },
  filters: ['recipient', 'status'],
});

export const retryTapeDelivery = action({
  allow: 'admin',
  summary: 'Retry one failed tape delivery, or all of them',
  description:
    "Default: all failed deliveries of the tape. Uploads use the server's current settings.",
  conflicts: () => [noFailedDelivery(), tapeRemoved()],
  body: z.object({
    delivery_id: uuid
      .nullish()
      .describe('The failed delivery to repeat. Default: all failed deliveries of the tape.'),
  }),
  reply: z.object({
    delivery_ids: z.array(uuid).describe('The deliveries that are tried again.'),
    status: z.literal('queued').describe('The deliveries wait for a worker.'),
  }),
  run: retryDelivery,
});
