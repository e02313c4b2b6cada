import { z } from 'zod';
import * as documents from '../../sql/documents/documents.ts';
import { flag } from '../../sql/types.ts';
import type { Work } from '../work.ts';

export const Showing = z.object({ is_visible_to_borrower: flag.default(true) });

/** Shows a document in the borrower's portal, or takes it away from there. */
export async function showDocument(
  work: Work,
  id: string,
  { is_visible_to_borrower }: z.output<typeof Showing>,
) {
  await documents.show(work.tx, id, is_visible_to_borrower);
}
