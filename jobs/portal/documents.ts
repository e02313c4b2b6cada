import { z } from 'zod';
import * as stored from '../../sql/portal/documents.ts';
import { find } from '../../sql/table.ts';
import { createDownloadLink } from '../documents/download.ts';
import { createUploadLink, UploadRequest } from '../documents/upload.ts';
import { Conflict, NotFound } from '../errors.ts';
import type { Work } from '../work.ts';
import { assertOwnLoan } from './own-loans.ts';

/** Document types that borrowers upload. The lender creates the other types. */
const UPLOADED = [
  ...(['income_verification', 'identity_verification', 'bank_statement', 'insurance'] as const),
  ...(['correspondence', 'other'] as const),
] as const;

export const OwnUpload = UploadRequest.omit({ is_visible_to_borrower: true }).extend({
  document_type: z.enum(UPLOADED).describe('What the document is.'),
});
type OwnUpload = z.output<typeof OwnUpload>;

/** Announces a document for a loan that the borrower owes, and returns its upload link. */
export async function createOwnUploadLink(work: Work, borrowerId: string, input: OwnUpload) {
  await assertOwnLoan(work, borrowerId, input.loan_id);
  const announced = { ...input, borrower_id: borrowerId, is_visible_to_borrower: true };
  return createUploadLink(work, announced, 'portal');
}

/** Throws NotFound unless the borrower announced this upload. */
export async function assertOwnUpload(work: Work, borrowerId: string, id: string) {
  if (!(await stored.isOwnUpload(work.tx, id, borrowerId))) throw new NotFound();
}

/** A download link for a document that the borrower can see. */
export async function createVisibleDocumentLink(work: Work, borrowerId: string, id: string) {
  const document = await find(work.tx, stored.documentsOfBorrower(borrowerId), id);
  if (document === null) throw new NotFound();
  const link = await createDownloadLink(work, document);
  if (link !== null) return { ...document, ...link };
  throw notAvailable(String(document['status']));
}

export const notAvailable = (status: string) =>
  new Conflict('This file is not available. See current_status.', 'not_available', {
    current_status: status,
  });
