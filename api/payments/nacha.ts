import { z } from 'zod';
import { NotFound } from '../../jobs/errors.ts';
import {
  NewNachaFile,
  generateNachaFile,
  nothingToSend,
} from '../../jobs/payments/nacha/generate-file.ts';
import {
  RETURN_OUTCOMES,
  ReturnFile,
  describeReturnFile,
  processReturnFile,
} from '../../jobs/payments/nacha/process-returns.ts';
import * as nacha from '../../sql/payments/nacha.ts';
import { date, integer, money, timestamps, text, timestamp, uuid } from '../../sql/types.ts';
import { madeFileFields } from '../documents/file-fields.ts';
import { linkToSealedFile } from '../documents/sealed-links.ts';
import { findOrThrow, nested, resource } from '../endpoints/resource.ts';
import type { OwnTransactionCall, Route } from '../endpoints/route.ts';
import { nachaNotConfigured } from '../../jobs/payments/nacha/originator.ts';

const resourceDefaults = { area: 'payments', read: 'admin', write: 'admin' } as const;

export const nachaEntries = resource({
  ...resourceDefaults,
  name: 'NachaEntry',
  path: 'nacha-entries',
  about: 'A debit or credit in a Nacha file, with its settlement or return.',
  table: nacha.nachaEntries,
  offers: [],

  fields: {
    id: uuid.readonly(),
    nacha_file_id: uuid.readonly().describe('The file that contains it.'),
    payment_id: uuid.nullable().readonly().describe('The payment that it draws or refunds.'),
    disbursement_id: uuid.nullable().readonly().describe('The disbursement that it pays out.'),
    draw_id: uuid.nullable().readonly().describe('The draw that it pays out.'),
    transaction_code: text
      .readonly()
      .describe('The Nacha transaction code, such as 27 for a debit of a checking account.'),
    amount: money.readonly().describe('The amount.'),
    individual_id: text.readonly().describe('The identification that the bank statement shows.'),
    individual_name: text.readonly().describe('The name on the account.'),
    trace_number: text.readonly().describe('The number that the bank quotes in returns.'),
    settled_on: date
      .nullable()
      .readonly()
      .describe('When the amount moved from ACH clearing to cash.'),
    return_code: text.nullable().readonly().describe("The bank's return code."),
    returned_on: date.nullable().readonly().describe('When it was returned.'),
    ...timestamps,
  },
  filters: ['payment_id', 'disbursement_id', 'draw_id', 'trace_number', 'return_code'],
});

/**
 * Files for the tenant's bank. They contain full account numbers, so they are not documents, which every
 * viewer may read. Only admins can download them.
 */
export const nachaFiles = resource({
  ...resourceDefaults,
  name: 'NachaFile',
  path: 'nacha-files',
  about: 'A file of debits and credits for your bank.',
  table: nacha.nachaFiles,
  offers: ['list', 'read'],

  fields: {
    id: uuid.readonly(),
    file_date: date.readonly().describe('The date of the file.'),
    file_id_modifier: text.readonly().describe('Distinguishes the files of a day.'),
    effective_entry_date: date.readonly().describe('The day on which the bank settles.'),
    entry_count: integer.readonly().describe('How many entries it contains.'),
    debit_total: money.readonly().describe('The sum of the debits.'),
    credit_total: money.readonly().describe('The sum of the credits.'),
    ...madeFileFields,
  },
  filters: ['file_date', 'status'],
  nested: { entries: nested(nachaEntries, 'nacha_file_id', ['list']) },
});

const skippedEntry = z.object({
  payment_id: uuid.nullable().describe('The payment that was left out.'),
  disbursement_id: uuid.nullable().describe('The disbursement that was left out.'),
  draw_id: uuid.nullable().describe('The draw that was left out.'),
  reason: z.string().describe('Why it was left out.'),
});
const outcome = z.object({
  trace_number: text.describe('The number of the entry that was returned.'),
  code: text.nullable().describe('The code in the return file.'),
  payment_id: uuid.nullable().describe('The payment of the entry.'),
  disbursement_id: uuid.nullable().describe('The disbursement of the entry.'),
  draw_id: uuid.nullable().describe('The draw of the entry.'),
  status: z.enum(RETURN_OUTCOMES).describe('What was done with it.'),
  message: z.string().describe('The outcome in words.'),
});

const shared = { tag: 'payments', allow: 'admin' } as const;

export const nachaRoutes: Route[] = [
  {
    ...shared,
    method: 'POST',
    path: '/nacha-files',
    // Creating the file sends nothing out. Downloading it is refused to users who are denied a field.
    carries: [],
    security_event: 'export',
    action: 'create',
    resource: 'nacha-files',
    summary: 'Generate a Nacha file of unsent debits and disbursements',
    description:
      'Contains every payment, payout and refund ordered from a bank account and not sent yet; `skipped` lists what cannot be sent, with the reason. Download the file and pass it to your bank. Answers 409 `nothing_to_send` if nothing can be sent, and another code if settings of the originator are missing.',
    conflicts: () => [nothingToSend([]), nachaNotConfigured(['nacha.immediate_destination'])],
    status: 201,
    transaction: 'own',
    body: NewNachaFile,
    reply: nachaFiles.reply
      .extend({
        skipped: z.array(skippedEntry).describe('What could not be sent, with the reason.'),
      })
      .meta({ id: 'NewNachaFile' }),
    run: async ({ within, installation, tenant_id, body }: OwnTransactionCall) => {
      const input = body as z.output<typeof NewNachaFile>;
      const made = await generateNachaFile(within, installation.files, tenant_id, input);
      const read = { readOnly: true };
      const file = await within(
        tenant_id,
        (work) => findOrThrow(work, nacha.nachaFiles, made.id),
        read,
      );
      return { ...file, skipped: made.skipped };
    },
  },
  {
    ...shared,
    method: 'GET',
    path: '/nacha-files/{id}/download',
    carries: 'anything',
    security_event: 'export',
    action: 'download',
    resource: 'nacha-files',
    summary: 'Get a download link for a Nacha file',
    description:
      'The link is temporary. The file is stored encrypted and decrypted while you download it.',
    status: 200,
    transaction: 'read',
    reply: z
      .object({
        download_url: z.string(),
        expires_at: timestamp.describe('When the link stops working.'),
        filename: text,
        content_type: text,
      })
      .meta({ id: 'NachaDownload' }),
    run: async (call) => {
      const { work, params } = call;
      const { id, filename } = await findOrThrow(work, nacha.nachaFiles, params['id']);
      const storage_key = await nacha.findNachaFileStorageKey(work.tx, id);
      if (storage_key === null) throw new NotFound('The file is not ready yet. Try again shortly.');
      const named = { content_type: 'text/plain', filename: String(filename) };
      return { ...named, ...(await linkToSealedFile(call, { ...named, storage_key })) };
    },
  },
  {
    ...shared,
    method: 'POST',
    path: '/nacha-returns',
    action: 'create',
    resource: 'nacha-returns',
    four_eyes: 'reversals',
    // A return file contains full account numbers.
    secrets: ['file'],
    content: ({ work, body }) => describeReturnFile(work, body as z.output<typeof ReturnFile>),
    summary: 'Process a return file from the bank',
    description:
      'Records each returned entry with its fee and its effect on autopay, and each notification of change. An entry that cannot be booked gets a task. Processing a file twice has no further effect.',
    status: 200,
    transaction: 'write',
    body: ReturnFile,
    reply: z
      .object({ entries: z.array(outcome).describe('What was done with each entry of the file.') })
      .meta({ id: 'NachaReturns' }),
    run: async ({ work, body }) => ({
      entries: await processReturnFile(work, body as z.output<typeof ReturnFile>),
    }),
  },
];
