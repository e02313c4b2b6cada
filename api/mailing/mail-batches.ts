import { z } from 'zod';
import {
  cancelBatch,
  downloadBatch,
  NewBatch,
  retryBatch,
  createRequestedBatch,
  noLetters,
  handedOver,
  batchCanceled,
  filesRemoved,
} from '../../jobs/mailing/batch.ts';
import { handOverBatch, deliveryUnderWay } from '../../jobs/mailing/hand-over.ts';
import { batches as table, BATCH_STATUSES } from '../../sql/mailing/batches.ts';
import { mailDeliveries as deliveryTable } from '../../sql/mailing/deliveries.ts';
import { batchFiles as fileTable } from '../../sql/mailing/files.ts';
import { date, flag, integer, timestamps, text, timestamp, uuid } from '../../sql/types.ts';
import { action, nested, resource } from '../endpoints/resource.ts';
import type { Route } from '../endpoints/route.ts';
import { absoluteUrl } from '../documents/documents.ts';
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
    position: readonlyCount.describe('The place of the file in the batch, from 1.'),
    kind: z
      .enum(['letters', 'manifest'])
      .readonly()
      .describe('Printed letters, or a manifest that lists them.'),
    filename: text.readonly(),
    pages_each: integer
      .nullable()
      .readonly()
      .describe('Number of pages of each letter in the file.'),
    letter_count: readonlyCount.describe('How many letters the file contains.'),
    page_count: readonlyCount.describe('How many pages the file contains.'),
    is_made: flag.readonly().describe('Whether the file is complete.'),
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
    recipient: text.readonly().describe('The server, as user and host.'),
    status: z
      .enum(['pending', 'sent', 'failed'])
      .readonly()
      .describe('Whether the upload waits, has succeeded or has failed for good.'),
    files_sent: readonlyCount.describe('How many files have arrived.'),
    attempts: readonlyCount.describe('How often the upload was tried.'),
    error: z
      .string()
      .nullable()
      .readonly()
      .describe('Why the last attempt failed. Null if it did not.'),
    sent_at: timestamp
      .nullable()
      .readonly()
      .describe('When all files had arrived. Null until then.'),
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
    number: readonlyCount.describe('The number of the batch, counted per tenant from 1.'),
    business_date: date.readonly().describe('The last day whose letters are included.'),
    ...NewBatch,
    status: z
      .enum(BATCH_STATUSES)
      .readonly()
      .describe('How far the batch is. Only a batch that is `ready` can be downloaded.'),
    failure_reason: nullableText.describe('Why the batch could not be made. Null if it could.'),
    letter_count: readonlyCount.describe('How many letters the batch contains.'),
    page_count: readonlyCount.describe('How many pages its letters have together.'),
    sheet_count: readonlyCount.describe('Printed on both sides.'),
    held_count: readonlyCount.describe('Letters that were left out and are still waiting.'),
    file_count: readonlyCount.describe('Including the two manifests.'),
    files_made: readonlyCount.describe('How many of its files are complete.'),
    handed_over_at: timestamp
      .nullable()
      .readonly()
      .describe('When the files were first downloaded or uploaded. Null until then.'),
    files_removed_at: timestamp
      .nullable()
      .readonly()
      .describe('When the files were removed after their retention. Null until then.'),
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

  conflicts: {
    create: () => [noLetters(0)],
  },
  create: createRequestedBatch,
  actions: {
    retry: action({
      allow: 'loan_officer',
      summary: 'Retry a failed mail batch',
      description:
        'Makes the missing files again, with the same letters in the same order. If a letter is damaged, withdraw the letter named in `failure_reason` first.',
      conflicts: () => [filesRemoved()],
      run: retryBatch,
    }),
    cancel: action({
      allow: 'admin',
      summary: 'Cancel a mail batch',
      description:
        'Possible until the batch is handed over, otherwise 409. Its letters wait for the next batch.',
      conflicts: () => [handedOver(), batchCanceled()],
      run: cancelBatch,
    }),
    'hand-over': action({
      allow: 'loan_officer',
      summary: 'Deliver a mail batch to an SFTP server',
      description:
        'Uploads the files in the background; GET /mail-batches/{id}/deliveries shows the outcome. A repeat uploads the same files under the same names.',
      conflicts: () => [deliveryUnderWay()],
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
        files: z
          .array(
            z.object({
              filename: text.describe('The name of the file.'),
              content_type: text,
              file_size: z.int().nullable(),
              sha256_hash: z.string().nullable(),
              download_url: z.string(),
            }),
          )
          .describe('The files of the batch.'),
        expires_at: timestamp.describe('When the links stop working.'),
      }),
      carries: 'anything',
      run: async (work, id, _input, { origin }) => {
        const { files, expires_at } = await downloadBatch(work, id);
        const links = files.map((file) => ({
          ...file,
          download_url: absoluteUrl(origin, file.download_url),
        }));
        return { files: links, expires_at };
      },
    }),
  },
});

export const mailingRoutes: Route[] = [...batches.routes, ...mailLetters.routes];
