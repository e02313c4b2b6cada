import { z } from 'zod';
import { reject, Rejection, verify, Verification } from '../../jobs/documents/judge.ts';
import { linkTo } from '../../jobs/documents/download.ts';
import { documents as table } from '../../sql/documents/documents.ts';
import { flag, integer, stamps, timestamp, uuid } from '../../sql/types.ts';
import { action, endpoint, existing, resource } from '../resource.ts';
import type { Route } from '../route.ts';

export const DOCUMENT_TYPES = [
  ...(['income_verification', 'identity_verification', 'bank_statement', 'title'] as const),
  ...(['insurance', 'appraisal', 'closing_document', 'tila_disclosure'] as const),
  ...(['adverse_action_notice', 'monthly_statement', 'correspondence', 'other'] as const),
] as const;

const STATUSES = ['pending', 'uploaded', 'verified', 'rejected', 'expired', 'failed'] as const;
const when = timestamp.nullable().readonly();
const given = z.string().nullable().readonly();

export const documents = resource({
  name: 'Document',
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
    document_type: z.enum(DOCUMENT_TYPES).readonly(),
    filename: z.string().readonly(),
    content_type: z.string().readonly(),
    file_size: z.coerce.number().nullable().readonly(),
    sha256_hash: given,
    status: z.enum(STATUSES).readonly(),
    source: z.enum(['upload_link', 'direct', 'generated', 'portal']).readonly(),
    storage_key: z.string().readonly(),
    language: given,
    page_count: integer.nullable().readonly(),
    uploaded_by: uuid.nullable().readonly(),
    uploaded_at: when,
    expires_at: when,
    verified_by: given,
    verified_at: when,
    verification_notes: given,
    rejected_by: uuid.nullable().readonly(),
    rejected_at: when,
    rejection_reason: given,
    is_visible_to_borrower: flag.readonly(),
    is_archived: flag.readonly(),
    ...stamps,
  },
  filters: [
    ...(['loan_id', 'borrower_id', 'document_type', 'status', 'source', 'language'] as const),
    ...(['filename', 'content_type', 'is_visible_to_borrower'] as const),
  ],

  actions: {
    verify: action({
      allow: 'loan_officer',
      summary: 'Confirm that the document is what it should be',
      body: Verification,
      run: verify,
    }),
    reject: action({
      allow: 'loan_officer',
      summary: 'Refuse the document, with a reason',
      body: Rejection,
      run: reject,
    }),
  },
});

/** Reading one adds a link to its file, which is good for minutes. */
const read = endpoint({
  method: 'GET',
  path: '/documents/{id}',
  allow: 'viewer',
  tag: 'documents',
  summary: 'Read: Document',
  action: 'show',
  resource: 'documents',
  transaction: 'read',
  status: 200,
  reply: documents.reply
    .extend({ download_url: z.string().nullable() })
    .meta({ id: 'DocumentWithLink' }),
  run: async ({ work, params }) => {
    const row = await existing(work, table, params['id']);
    return { ...row, download_url: (await linkTo(work, row))?.download_url ?? null };
  },
});

export const documentRoutes: Route[] = [read];
