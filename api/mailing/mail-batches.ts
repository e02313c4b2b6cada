import { z } from 'zod';
import {
  cancelBatch,
  downloadBatch,
  NewBatch,
  retryBatch,
  createRequestedBatch,
} from '../../jobs/mailing/batch.ts';
import { handOverBatch } from '../../jobs/mailing/hand-over.ts';
import { batches as table, BATCH_STATUSES } from '../../sql/mailing/batches.ts';
import { mailDeliveries as deliveryTable } from '../../sql/mailing/deliveries.ts';
import { batchFiles as fileTable } from '../../sql/mailing/files.ts';
import { date, flag, integer, timestamps, text, timestamp, uuid } from '../../sql/types.ts';
import { action, nested, resource } from '../endpoints/resource.ts';
import type { Route } from '../endpoints/route.ts';
import { mailLetters } from './mail-letters.ts';

const resourceDefaults = { area: 'mailing', read: 'viewer', write: 'loan_officer' } as const;
const readonlyCount = integer.readonly();
const nullableText = text.nullable().readonly();

const files = resource({
  ...resourceDefaults,
  name: 'MailBatchFile',
  about:
    'A file of a mail batch: letters with the same number of pages, or a manifest that lists them.',
  path: 'mail-batch-files',
  table: fileTable,
  offers: [],

  fields: {
    id: uuid.readonly(),
    mail_batch_id: uuid.readonly(),
    position: readonlyCount,
    kind: z.enum(['letters', 'manifest']).readonly(),
    filename: text.readonly(),
    pages_each: integer
      .nullable()
      .readonly()
      .describe('Number of pages of each letter in the file.'),
    letter_count: readonlyCount,
    page_count: readonlyCount,
    is_made: flag.readonly(),
    file_size: integer.nullable().readonly(),
    sha256_hash: nullableText,
    ...timestamps,
  },
  filters: ['kind', 'pages_each'],
  sort: { field: 'position', descending: false },
});

const deliveries = resource({
  ...resourceDefaults,
  name: 'MailDelivery',
  about: 'The upload of a mail batch to an SFTP server, with its outcome.',
  path: 'mail-deliveries',
  table: deliveryTable,
  offers: [],

  fields: {
    id: uuid.readonly(),
    mail_batch_id: uuid.readonly(),
    sftp_server_id: uuid.readonly(),
    recipient: text.readonly(),
    status: z.enum(['pending', 'sent', 'failed']).readonly(),
    files_sent: readonlyCount,
    attempts: readonlyCount,
    error: z.string().nullable().readonly(),
    sent_at: timestamp.nullable().readonly(),
    ...timestamps,
  },
  filters: ['status'],
});

const batches = resource({
  ...resourceDefaults,
  name: 'MailBatch',
  about:
    'Letters for a mail house that prints and posts them: those that waited since the previous batch.',
  path: 'mail-batches',
  table,
  offers: ['list', 'read', 'create'],
  audited: true,

  fields: {
    id: uuid.readonly(),
    number: readonlyCount,
    business_date: date.readonly().describe('The last day whose letters are included.'),
    ...NewBatch,
    status: z.enum(BATCH_STATUSES).readonly(),
    failure_reason: nullableText,
    letter_count: readonlyCount,
    page_count: readonlyCount,
    sheet_count: readonlyCount.describe('Printed on both sides.'),
    held_count: readonlyCount.describe('Letters that were left out and are still waiting.'),
    file_count: readonlyCount.describe('Including the two manifests.'),
    files_made: readonlyCount,
    handed_over_at: timestamp.nullable().readonly(),
    files_removed_at: timestamp.nullable().readonly(),
    created_by: uuid.nullable().readonly().describe('Null if the close of business created it.'),
    ...timestamps,
  },
  filters: ['number', 'business_date', 'status'],
  sort: { field: 'number', descending: true },
  nested: {
    files: nested(files, 'mail_batch_id', ['list']),
    deliveries: nested(deliveries, 'mail_batch_id', ['list']),
    letters: nested(mailLetters, 'mail_batch_id', ['list']),
  },

  create: createRequestedBatch,
  actions: {
    retry: action({
      allow: 'loan_officer',
      summary: 'Retry a failed mail batch',
      description:
        'Makes the missing files again, with the same letters in the same order. If a letter is damaged, withdraw the letter named in `failure_reason` first.',
      run: retryBatch,
    }),
    cancel: action({
      allow: 'admin',
      summary: 'Cancel a mail batch',
      description:
        'Possible until the batch is handed over, otherwise 409. Its letters wait for the next batch.',
      run: cancelBatch,
    }),
    'hand-over': action({
      allow: 'loan_officer',
      summary: 'Deliver a mail batch to an SFTP server',
      description:
        'Uploads the files in the background; GET /mail-batches/{id}/deliveries shows the outcome. A repeat uploads the same files under the same names.',
      security_event: 'export',
      body: z.object({
        sftp_server_id: uuid
          .nullish()
          .describe('The SFTP server. Default: `communications.mail_house.sftp_server_id`.'),
      }),
      carries: 'anything',
      run: handOverBatch,
    }),
    download: action({
      allow: 'loan_officer',
      summary: 'Download a mail batch',
      description:
        'Answers with temporary links to all files and marks the batch as handed over, so that it can no longer be canceled.',
      security_event: 'export',
      reply: z.object({
        files: z.array(
          z.object({
            filename: text,
            content_type: text,
            file_size: z.int().nullable(),
            sha256_hash: z.string().nullable(),
            download_url: z.string(),
          }),
        ),
        expires_at: timestamp,
      }),
      carries: 'anything',
      run: downloadBatch,
    }),
  },
});

export const mailingRoutes: Route[] = [...batches.routes, ...mailLetters.routes];
