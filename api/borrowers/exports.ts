import { z } from 'zod';
import { requestExport } from '../../jobs/borrowers/privacy/export-borrower.job.ts';
import {
  redactBorrower,
  Redaction,
  alreadyRedacted,
  mustBeKept,
  onLegalHold,
} from '../../jobs/borrowers/privacy/redact.ts';
import { borrowers } from '../../sql/borrowers/borrowers.ts';
import { borrowerExports as table, findDownloadKey } from '../../sql/borrowers/exports.ts';
import { integer, timestamps, timestamp, uuid } from '../../sql/types.ts';
import { linkToStoredFile } from '../documents/stored-links.ts';
import { findOrThrow, lockRequestedRecord } from '../endpoints/record-operations.ts';
import { endpoint, resource } from '../endpoints/resource.ts';
import type { Call, Route } from '../endpoints/route.ts';

/** Archives of all data about a borrower. Only superadmins have access. */
export const borrowerExports = resource({
  name: 'BorrowerExport',
  path: 'borrower-exports',
  about: 'An archive with everything on file about a borrower.',
  area: 'borrowers',
  table,
  read: 'superadmin',
  write: 'superadmin',
  offers: [],

  fields: {
    id: uuid.readonly(),
    borrower_id: uuid.readonly(),
    status: z
      .enum(['pending', 'completed', 'failed', 'expired'])
      .readonly()
      .describe('`pending` until the archive is complete.'),
    requested_by: uuid.nullable().readonly().describe('The user who requested it.'),
    documents_total: integer.nullable().readonly().describe('How many documents it will contain.'),
    documents_done: integer.readonly().describe('How many documents it contains so far.'),
    file_size: z.coerce.number().nullable().readonly(),
    sha256_hash: z.string().nullable().readonly().describe('The hash of the archive.'),
    failure_reason: z.string().nullable().readonly().describe('Why it failed.'),
    completed_at: timestamp.nullable().readonly().describe('When it was completed.'),
    expires_at: timestamp.nullable().readonly().describe('When the archive is removed.'),
    ...timestamps,
  },
  filters: ['borrower_id', 'status'],
});

const routeDefaults = { tag: 'borrowers', allow: 'superadmin', transaction: 'write' } as const;

export const privacyRoutes: Route[] = [
  endpoint({
    ...routeDefaults,
    method: 'POST',
    path: '/borrowers/{id}/export',
    carries: 'anything',
    security_event: 'export',
    action: 'export',
    resource: 'borrowers',
    summary: "Export a borrower's data",
    description:
      'A worker creates the archive. If one is already being created, the answer shows that one.',
    status: 202,
    reply: borrowerExports.reply,
    run: ({ work, params }: Call) => requestExport(work, params['id'] ?? ''),
  }),
  endpoint({
    ...routeDefaults,
    method: 'GET',
    path: '/borrower-exports/{id}',
    carries: 'anything',
    security_event: 'export',
    action: 'show',
    resource: 'borrower-exports',
    summary: 'Get a borrower export',
    description: 'Includes a download link once the archive is ready.',
    transaction: 'read',
    status: 200,
    reply: borrowerExports.reply
      .extend({ download_url: z.string().nullable() })
      .meta({ id: 'BorrowerExportWithLink' }),
    run: async ({ work, params, origin }: Call) => {
      const row = await findOrThrow(work, table, params['id']);
      const storage_key = await findDownloadKey(work.tx, row.id);
      if (storage_key === null) return { ...row, download_url: null };
      const file = {
        storage_key,
        content_type: 'application/zip',
        filename: `borrower-${String(row['borrower_id'])}.zip`,
      };
      const { download_url } = await linkToStoredFile({ work, origin }, file);
      return { ...row, download_url };
    },
  }),
  // Not an action of the borrower, because the audit history would repeat the erased data.
  endpoint({
    ...routeDefaults,
    method: 'POST',
    path: '/borrowers/{id}/redact',
    security_event: 'redaction',
    action: 'redact',
    resource: 'borrowers',
    summary: "Redact a borrower's personal data",
    description: 'Cannot be undone. Ledger records remain.',
    conflicts: () => [alreadyRedacted(), mustBeKept('2033-01-15'), onLegalHold('A lawsuit.')],
    four_eyes: 'redactions',
    record: borrowers,
    status: 200,
    body: Redaction,
    reply: z
      .object({
        id: uuid,
        redacted_at: timestamp.describe('When the personal data was removed.'),
        redacted_by: uuid.describe('The user who removed it.'),
      })
      .meta({ id: 'RedactedBorrower' }),
    run: async (call: Call) => {
      const { id } = await lockRequestedRecord(call, borrowers);
      await redactBorrower(call.work, id, call.body as z.output<typeof Redaction>);
      return findOrThrow(call.work, borrowers, id);
    },
  }),
];
