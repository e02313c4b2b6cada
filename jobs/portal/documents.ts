import { z } from 'zod';
import * as stored from '../../sql/portal/documents.ts';
import { find } from '../../sql/table.ts';
import { createDownloadLink } from '../documents/download.ts';
import { createUploadLink, UploadRequest } from '../documents/upload.ts';
import { Conflict, NotFound } from '../errors.ts';
import type { Work } from '../work.ts';
import { assertOwnLoan } from './own-loans.ts';

/** What a borrower is asked to send; the rest of the types is made by the lender. */
const UPLOADED = [
  ...(['income_verification', 'identity_verification', 'bank_statement', 'insurance'] as const),
  ...(['correspondence', 'other'] as const),
] as const;

export const OwnUpload = UploadRequest.omit({ is_visible_to_borrower: true }).extend({
  document_type: z.enum(UPLOADED),
});
type OwnUpload = z.output<typeof OwnUpload>;

/** Announces a document of the borrower about a loan that they owe, and gives the link for its file. */
export async function createOwnUploadLink(work: Work, borrowerId: string, input: OwnUpload) {
  await assertOwnLoan(work, borrowerId, input.loan_id);
  const announced = { ...input, borrower_id: borrowerId, is_visible_to_borrower: true };
  return createUploadLink(work, announced, 'portal');
}

/** Only what the borrower announced is theirs to confirm. */
export async function assertOwnUpload(work: Work, borrowerId: string, id: string) {
  if (!(await stored.isOwnUpload(work.tx, id, borrowerId))) throw new NotFound();
}

/** A link to the file of a document that the borrower sees. */
export async function createVisibleDocumentLink(work: Work, borrowerId: string, id: string) {
  const document = await find(work.tx, stored.documentsOfBorrower(borrowerId), id);
  if (document === null) throw new NotFound();
  const link = await createDownloadLink(work, document);
  if (link !== null) return { ...document, ...link };
  const { status } = document;
  throw new Conflict('This file is not available.', 'not_available', { current_status: status });
}
