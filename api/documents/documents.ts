import { z } from 'zod';
import { derivedFrom } from '../../jobs/facts.ts';
import { detectContentType } from '../../jobs/documents/content-type.ts';
import { DirectUpload, uploadDirectly } from '../../jobs/documents/direct-upload.ts';
import { createDownloadLink } from '../../jobs/documents/download.ts';
import { RemovalPreview, previewDocumentRemoval } from '../../jobs/documents/preview-removal.ts';
import {
  rejectDocument,
  Rejection,
  verifyDocument,
  Verification,
  wrongDocumentStatus,
} from '../../jobs/documents/review.ts';
import { DocumentVisibility, setDocumentVisibility } from '../../jobs/documents/visibility.ts';
import { CONTENT_TYPES, DOCUMENT_TYPES } from '../../jobs/documents/types.ts';
import {
  UploadConfirmation,
  confirmUpload,
  createUploadLink,
  UploadRequest,
  fileTooLarge,
  uploadMissing,
  hashMismatch,
  contentMismatch,
} from '../../jobs/documents/upload.ts';
import { NotFound } from '../../jobs/errors.ts';
import { documents as table } from '../../sql/documents/documents.ts';
import { date, flag, integer, jsonObject, timestamps, timestamp, uuid } from '../../sql/types.ts';
import { action, endpoint, findOrThrow, resource } from '../endpoints/resource.ts';
import type { Route } from '../endpoints/route.ts';
import { HttpRefusal } from '../http/errors.ts';

const STATUSES = [
  ...(['pending', 'held', 'infected', 'uploaded', 'verified', 'rejected'] as const),
  ...(['expired', 'failed', 'removed', 'redacted'] as const),
] as const;
const nullableTimestamp = timestamp.nullable().readonly();
const nullableText = z.string().nullable().readonly();

export const documents = resource({
  name: 'Document',
  about:
    'A file of a loan or borrower: uploaded, or printed by the platform such as statements, disclosures and letters.',
  path: 'documents',
  area: 'documents',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['list', 'archive'],
  archivable: true,

  fields: {
    id: uuid.readonly(),
    loan_id: uuid.nullable().readonly(),
    borrower_id: uuid.nullable().readonly(),
    document_type: z.enum(DOCUMENT_TYPES).readonly().describe('The kind of document.'),
    filename: z.string().readonly(),
    content_type: z.string().readonly(),
    file_size: z.coerce.number().nullable().readonly(),
    sha256_hash: nullableText,
    status: z
      .enum(STATUSES)
      .readonly()
      .describe(
        '`pending` until the file is stored, then `uploaded`, `verified` or `rejected`. `held` waits for the virus scan, `infected` is its bad result, `failed` means that it could not be printed, and `removed` that its retention has ended.',
      ),
    source: z
      .enum(['upload_link', 'direct', 'generated', 'portal'])
      .readonly()
      .describe(
        'Where the file came from: an upload link, a direct upload, the platform itself or the portal.',
      ),
    storage_key: z
      .string()
      .readonly()
      .describe('Where the file is kept. You do not need it: use the download link.'),
    language: derivedFrom(nullableText, 'borrowers.language_preference').describe(
      'The language of a generated document. Null for uploads.',
    ),
    page_count: integer
      .nullable()
      .readonly()
      .describe('How many pages a generated document has. Null for uploads.'),
    uploaded_by: uuid
      .nullable()
      .readonly()
      .describe('The user who uploaded the file. Null for generated documents.'),
    uploaded_at: nullableTimestamp.describe('When the file was stored. Null until then.'),
    expires_at: nullableTimestamp.describe(
      'When the upload link stops working. Null for other documents.',
    ),
    verified_by: nullableText.describe(
      'Who verified the document, as given by the reviewer. Null if nobody did.',
    ),
    verified_at: nullableTimestamp.describe('When the document was verified. Null if it was not.'),
    verification_notes: nullableText.describe('What the reviewer noted when verifying it.'),
    rejected_by: uuid
      .nullable()
      .readonly()
      .describe('The user who rejected the document. Null if nobody did.'),
    rejected_at: nullableTimestamp.describe('When the document was rejected. Null if it was not.'),
    rejection_reason: nullableText.describe(
      'Why the document was rejected, or could not be printed.',
    ),
    metadata: jsonObject
      .readonly()
      .describe('Your own data of an upload, or the wording that a printed document uses.'),
    is_visible_to_borrower: flag
      .readonly()
      .describe('Whether the borrower sees the document in the portal.'),
    is_archived: flag.readonly(),
    removed_at: nullableTimestamp.describe(
      'When the file was removed because its retention period ended.',
    ),
    ...timestamps,
  },
  filters: [
    ...(['loan_id', 'borrower_id', 'document_type', 'status', 'source', 'language'] as const),
    ...(['filename', 'content_type', 'is_visible_to_borrower'] as const),
  ],

  actions: {
    verify: action({
      allow: 'loan_officer',
      summary: 'Verify a document',
      description:
        'Records that staff checked the content. Possible for uploaded and rejected documents, otherwise 409.',
      conflicts: () => [wrongDocumentStatus('verify', 'pending', [])],
      body: Verification,
      run: verifyDocument,
    }),
    reject: action({
      allow: 'loan_officer',
      summary: 'Reject a document with a reason',
      description:
        'Records that staff did not accept the content. The borrower sees the reason in the portal if the document is visible there. Possible for uploaded and verified documents, otherwise 409.',
      conflicts: () => [wrongDocumentStatus('reject', 'pending', [])],
      body: Rejection,
      run: rejectDocument,
    }),
    share: action({
      allow: 'loan_officer',
      summary: 'Show or hide a document in the borrower’s portal',
      description:
        'A visible document is shown to everyone who owes the loan. Uploads of staff are hidden until they are shared.',
      body: DocumentVisibility,
      run: setDocumentVisibility,
    }),
  },
});

const readRoute = endpoint({
  method: 'GET',
  path: '/documents/{id}',
  carries: 'anything',
  security_event: 'document_download',
  allow: 'viewer',
  tag: 'documents',
  summary: 'Get a document',
  description:
    'Includes a temporary download link (`documents.download_ttl_s`) while the document has a file. The download is recorded in the security log.',
  action: 'show',
  resource: 'documents',
  transaction: 'read',
  status: 200,
  reply: documents.reply
    .extend({
      download_url: z
        .string()
        .nullable()
        .describe('A temporary link to the file. Null while there is no file.'),
    })
    .meta({ id: 'DocumentWithLink' }),
  run: async ({ work, params, origin }) => {
    const row = await findOrThrow(work, table, params['id']);
    const link = await createDownloadLink(work, row);
    return { ...row, download_url: link && absoluteUrl(origin, link.download_url) };
  },
});

const previewRemovalRoute = endpoint({
  method: 'POST',
  path: '/documents/preview-removal',
  allow: 'admin',
  tag: 'documents',
  summary: 'Preview which files retention would remove by a date',
  description:
    'Counts the files whose retention (`retention.document_years`) ends by the date, and lists the first 100. Removes nothing. You can try other years than the configured ones.',
  action: 'preview-removal',
  resource: 'documents',
  transaction: 'read',
  status: 200,
  carries: 'anything',
  body: RemovalPreview,
  reply: z.object({
    by: date.describe('The date up to which retention periods were checked.'),
    kinds: z
      .array(
        z.object({
          kind: z.string().describe('The kind of document.'),
          years: integer.describe('How long files of this kind are kept, in years.'),
          documents: integer.describe('How many files would be removed.'),
          bytes: z.number().describe('The size of these files in bytes.'),
          first_due_on: date
            .nullable()
            .describe(
              'The earliest day on which one of them may be removed. Null if there are none.',
            ),
          held: integer.describe('Number of files kept by a legal hold.'),
        }),
      )
      .describe('The files due for removal, by kind of document.'),
    first: z
      .array(
        z.object({
          id: uuid,
          kind: z.string().describe('The kind of document.'),
          due_on: date.describe('The day on which its retention ends.'),
        }),
      )
      .describe('The first 100 of these files.'),
  }),
  run: ({ work, body }) => previewDocumentRemoval(work, body as z.output<typeof RemovalPreview>),
});

export const uploadLinkReply = z.object({
  id: uuid.describe('The id of the document.'),
  upload_url: z.string().describe('Where to PUT the file, with the same Content-Type.'),
  expires_at: timestamp.describe('When the link stops working.'),
});

const announceUploadRoute = endpoint({
  method: 'POST',
  path: '/documents/create-upload-link',
  throttle: 'upload',
  allow: 'loan_officer',
  tag: 'documents',
  summary: 'Request an upload link for a file',
  description:
    'The first of three steps: PUT the file to `upload_url` with the same Content-Type, then call POST /documents/{id}/confirm-upload. The link works for `documents.upload_ttl_s` seconds.',
  action: 'create',
  resource: 'documents',
  transaction: 'write',
  status: 201,
  body: UploadRequest,
  reply: uploadLinkReply,
  run: async ({ work, body, origin }) => {
    const link = await createUploadLink(work, body as z.output<typeof UploadRequest>);
    return { ...link, upload_url: absoluteUrl(origin, link.upload_url) };
  },
});

const uploadRoute = endpoint({
  method: 'POST',
  path: '/documents',
  throttle: 'upload',
  allow: 'loan_officer',
  tag: 'documents',
  summary: 'Upload a file as a form',
  description:
    'Stores the file and its data in one request, without an upload link. Answers 415 for a file type that is not supported and 409 `too_large` above `documents.max_bytes`.',
  conflicts: () => [fileTooLarge(26_214_400)],
  action: 'create',
  resource: 'documents',
  transaction: 'own',
  status: 201,
  takes_file: true,
  body: DirectUpload,
  reply: documents.reply,
  run: async ({ within, installation: { files }, tenant_id: tenantId, body }) => {
    const input = body as DirectUpload;
    const type = detectContentType(input.file);
    if (type === null) {
      const message = `The file type is not supported, or the content is not of the declared type. Supported types: ${CONTENT_TYPES.join(', ')}.`;
      throw new HttpRefusal(415, 'unsupported_media_type', message);
    }
    const id = await uploadDirectly({ within, files, tenantId }, input, type);
    return within(tenantId, (work) => findOrThrow(work, table, id), { readOnly: true });
  },
});

const confirmUploadRoute = endpoint({
  method: 'POST',
  path: '/documents/{id}/confirm-upload',
  allow: 'loan_officer',
  tag: 'documents',
  summary: 'Confirm that a file was uploaded to its link',
  description:
    'Compares size and SHA-256 hash with the announced ones. Answers 409 if they differ. A confirmed file cannot change.',
  conflicts: () => [hashMismatch(48_213), uploadMissing(), contentMismatch('application/pdf')],
  action: 'edit',
  resource: 'documents',
  transaction: 'own',
  status: 200,
  body: UploadConfirmation,
  reply: documents.reply,
  run: async ({ within, installation, tenant_id, params, body }) => {
    const id = params['id'];
    if (id === undefined) throw new NotFound();
    await confirmUpload(
      within,
      installation.files,
      tenant_id,
      id,
      body as z.output<typeof UploadConfirmation>,
    );
    return within(tenant_id, (work) => findOrThrow(work, table, id), { readOnly: true });
  },
});

/** Local file links are paths. Links of an object store already contain its host. */
export const absoluteUrl = (origin: string, url: string) =>
  url.startsWith('/') ? origin + url : url;

export const documentRoutes: Route[] = [
  readRoute,
  uploadRoute,
  announceUploadRoute,
  previewRemovalRoute,
  confirmUploadRoute,
];
