import { z } from 'zod';
import * as documents from '../../sql/documents/documents.ts';
import { flag } from '../../sql/types.ts';
import type { Work } from '../work.ts';

export const DocumentVisibility = z.object({
  is_visible_to_borrower: flag.default(true).describe('Whether the portal shows the document.'),
});

/** Shows a document in the borrower's portal, or hides it. */
export async function setDocumentVisibility(
  work: Work,
  id: string,
  { is_visible_to_borrower }: z.output<typeof DocumentVisibility>,
) {
  await documents.setVisibility(work.tx, id, is_visible_to_borrower);
}
