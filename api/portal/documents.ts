import { z } from 'zod';
import {
  UploadConfirmation,
  confirmUpload,
  uploadMissing,
  hashMismatch,
} from '../../jobs/documents/upload.ts';
import {
  createOwnUploadLink,
  assertOwnUpload,
  createVisibleDocumentLink,
  OwnUpload,
  notAvailable,
} from '../../jobs/portal/documents.ts';
import { documentsOfBorrower } from '../../sql/portal/documents.ts';
import { date, text, timestamp } from '../../sql/types.ts';
import { absoluteUrl, documents, uploadLinkReply } from '../documents/documents.ts';
import { fetchPage } from '../endpoints/record-operations.ts';
import { findOrThrow } from '../endpoints/resource.ts';
import type { Route } from '../endpoints/route.ts';
import { borrowerEndpoint } from './borrower-endpoint.ts';

/** Borrowers do not see which staff handled a document or where it is stored. */
const portalDocument = documents.reply
  .pick({
    id: true,
    loan_id: true,
    document_type: true,
    filename: true,
    content_type: true,
    file_size: true,
    status: true,
    source: true,
    page_count: true,
    uploaded_at: true,
    expires_at: true,
    rejection_reason: true,
    created_at: true,
    updated_at: true,
  })
  .extend({
    loan_number: text.nullable(),
    period_start: date.nullable().describe('The first day of a statement.'),
    period_end: date.nullable().describe('The last day of a statement.'),
  })
  .meta({ id: 'PortalDocument' });

export const portalDocuments: Route[] = [
  borrowerEndpoint({
    method: 'GET',
    path: '/portal/documents',
    action: 'list-documents',
    summary: "List the borrower's documents",
    description:
      'Statements, disclosures and letters of all loans that the borrower owes, files that staff shared, and own uploads.',
    reply: portalDocument,
    list: {
      name: 'documents',
      fields: portalDocument.shape,
      filters: ['loan_id', 'document_type', 'status', 'source'],
      hasSearch: false,
      isArchivable: false,
    },
    run: (call, borrowerId) => fetchPage(call, documentsOfBorrower(borrowerId)),
  }),
  borrowerEndpoint({
    method: 'GET',
    path: '/portal/documents/{id}/download',
    security_event: 'document_download',
    action: 'download',
    summary: 'Get a download link for a document',
    description:
      'The link works for `documents.download_ttl_s` seconds. Answers 409 `not_available` while the document has no file.',
    conflicts: () => [notAvailable('pending')],
    reply: z.object({
      url: z.string().describe('The same as `download_url`.'),
      download_url: z.string(),
      expires_at: timestamp.describe('When the link stops working.'),
      filename: z.string(),
      content_type: z.string(),
    }),
    run: async ({ work, params, origin }, borrowerId) => {
      const link = await createVisibleDocumentLink(work, borrowerId, params['id'] ?? '');
      const url = absoluteUrl(origin, link.download_url);
      return { ...link, url, download_url: url };
    },
  }),
  borrowerEndpoint({
    method: 'POST',
    path: '/portal/documents/upload',
    throttle: 'upload',
    action: 'create',
    summary: 'Request an upload link for a file',
    description:
      'PUT the file to `upload_url` with the same Content-Type, then call POST /portal/documents/{id}/confirm-upload. Staff get a task to review it.',
    status: 201,
    body: OwnUpload,
    reply: uploadLinkReply,
    run: async ({ work, body, origin }, borrowerId) => {
      const link = await createOwnUploadLink(work, borrowerId, body as z.output<typeof OwnUpload>);
      return { ...link, upload_url: absoluteUrl(origin, link.upload_url) };
    },
  }),
  {
    method: 'POST',
    path: '/portal/documents/{id}/confirm-upload',
    tag: 'portal',
    resource: 'portal',
    allow: 'borrower',
    action: 'edit',
    summary: 'Confirm that a file was uploaded to its link',
    description:
      'Compares the size and SHA-256 hash that you send with those of the file. Answers 409 if they differ. A confirmed file cannot change.',
    conflicts: () => [hashMismatch(48_213), uploadMissing()],
    status: 200,
    body: UploadConfirmation,
    reply: portalDocument,
    transaction: 'own',
    run: async ({ within, installation: { files }, tenant_id, params, body, user }) => {
      const { id = '' } = params;
      const borrowerId = user?.borrower_id ?? '';
      const mayRead = { readOnly: true };
      await within(tenant_id, (work) => assertOwnUpload(work, borrowerId, id), mayRead);
      await confirmUpload(
        within,
        files,
        tenant_id,
        id,
        body as z.output<typeof UploadConfirmation>,
      );
      return within(
        tenant_id,
        (work) => findOrThrow(work, documentsOfBorrower(borrowerId), id),
        mayRead,
      );
    },
  },
];
