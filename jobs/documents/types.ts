import { z } from 'zod';

/** The document_type values of the specification ("Document"), including generated documents. */
export const DOCUMENT_TYPES = [
  ...(['income_verification', 'identity_verification', 'bank_statement', 'title'] as const),
  ...(['insurance', 'appraisal', 'closing_document', 'tila_disclosure'] as const),
  ...(['adverse_action_notice', 'monthly_statement', 'correspondence', 'other'] as const),
] as const;

/** The type of a document that a request names. */
export const documentType = z
  .enum(DOCUMENT_TYPES)
  .describe('What the document is. Decides how long it is kept (`retention.document_years`).');

export const OFFICE_MIME_PREFIX = 'application/vnd.openxmlformats-officedocument';

/** Allowed uploads. Excludes everything that a browser would execute. */
export const CONTENT_TYPES = [
  ...(['application/pdf', 'image/png', 'image/jpeg', 'image/tiff', 'image/heic'] as const),
  ...(['image/gif', 'text/plain', 'text/csv', 'application/msword'] as const),
  `${OFFICE_MIME_PREFIX}.wordprocessingml.document`,
  'application/vnd.ms-excel',
  `${OFFICE_MIME_PREFIX}.spreadsheetml.sheet`,
] as const;
export type ContentType = (typeof CONTENT_TYPES)[number];
