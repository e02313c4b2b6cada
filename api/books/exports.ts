import { z } from 'zod';
import { BookExport, requestBookExport } from '../../jobs/books/exports/export-book.job.ts';
import { bookExports as table, findBookKey } from '../../sql/books/exports.ts';
import { date, integer, timestamp, timestamps, uuid } from '../../sql/types.ts';
import { linkToStoredFile } from '../documents/stored-links.ts';
import { findOrThrow } from '../endpoints/record-operations.ts';
import { endpoint, resource } from '../endpoints/resource.ts';
import type { Call, Route } from '../endpoints/route.ts';

/** Files with a whole book. Only superadmins have access. */
export const bookExports = resource({
  name: 'BookExport',
  path: 'book-exports',
  about:
    'A file with all loans and everything that belongs to them, in the format that an import reads.',
  area: 'portfolios',
  table,
  read: 'superadmin',
  write: 'superadmin',
  offers: ['list'],

  fields: {
    id: uuid.readonly(),
    portfolio_id: uuid.nullable().readonly(),
    servicing_transfer_id: uuid
      .nullable()
      .readonly()
      .describe('The transfer whose loans it contains.'),
    with_internal_records: z
      .boolean()
      .readonly()
      .describe(
        'Whether the file of a servicing transfer has prices of sales, internal notes and officers.',
      ),
    status: z
      .enum(['pending', 'completed', 'failed', 'expired'])
      .readonly()
      .describe('`pending` until the file is complete.'),
    business_date: date.nullable().readonly().describe('The day of its figures.'),
    requested_by: uuid.nullable().readonly().describe('The user who requested it.'),
    loan_count: integer.nullable().readonly().describe('How many loans it contains.'),
    current_file: z.string().nullable().readonly().describe('The file that is being written.'),
    rows_written: integer.readonly().describe('How many rows all its files have so far.'),
    file_size: z.coerce.number().nullable().readonly(),
    sha256_hash: z.string().nullable().readonly().describe('The hash of the file.'),
    failure_reason: z.string().nullable().readonly().describe('Why it failed.'),
    completed_at: timestamp.nullable().readonly().describe('When it was completed.'),
    expires_at: timestamp.nullable().readonly().describe('When the file is removed.'),
    ...timestamps,
  },
  filters: ['status', 'portfolio_id', 'servicing_transfer_id'],
});

const routeDefaults = {
  tag: 'portfolios',
  resource: 'book-exports',
  allow: 'superadmin',
  carries: 'anything',
  security_event: 'export',
  // A stolen session must not take the whole book with it.
  needs_proof: true,
} as const;

export const bookExportRoutes: Route[] = [
  ...bookExports.routes,
  endpoint({
    ...routeDefaults,
    method: 'POST',
    path: '/book-exports',
    action: 'create',
    transaction: 'write',
    summary: 'Export a book',
    description:
      'A worker writes a zip of CSV files with the loans, their borrowers, events, schedules, balances and documents. Social security, identity and account numbers have only their last digits: the operator exports whole numbers with `npm run ops -- export-book`. Needs a second person if `approvals.four_eyes` contains `book_exports`. If the same export is already being written, the answer shows that one.',
    four_eyes: 'book_exports',
    status: 201,
    body: BookExport,
    reply: bookExports.reply,
    run: async ({ work, body }: Call) => {
      const id = await requestBookExport(work, body as z.output<typeof BookExport>);
      return findOrThrow(work, table, id);
    },
  }),
  endpoint({
    ...routeDefaults,
    method: 'GET',
    path: '/book-exports/{id}',
    action: 'show',
    transaction: 'read',
    summary: 'Get a book export',
    description:
      'Includes a download link once the file is ready. The list of exports shows their progress without a proof.',
    status: 200,
    reply: bookExports.reply
      .extend({ download_url: z.string().nullable() })
      .meta({ id: 'BookExportWithLink' }),
    run: async ({ work, params, origin }: Call) => {
      const row = await findOrThrow(work, table, params['id']);
      const storage_key = await findBookKey(work.tx, row.id);
      if (storage_key === null) return { ...row, download_url: null };
      const file = { storage_key, content_type: 'application/zip', filename: 'book.zip' };
      const { download_url } = await linkToStoredFile({ work, origin }, file);
      return { ...row, download_url };
    },
  }),
];
