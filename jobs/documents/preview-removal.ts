import { z } from 'zod';
import * as removal from '../../sql/documents/removal.ts';
import { date } from '../../sql/types.ts';
import { DocumentYears } from '../users/settings/document-years.ts';
import { settingsOf } from '../users/settings/settings.ts';
import type { Work } from '../work.ts';

/** Maximum documents listed individually. All are counted. */
const LISTED_DOCUMENTS_MAX = 100;

export const RemovalPreview = z.object({
  by: date.optional().describe('The last day included. Default: the business date.'),
  document_years: DocumentYears.optional().describe(
    'Retention years to try instead of the configured ones.',
  ),
});

/** Shows which files would be removed by a date, optionally with other retention years. Removes nothing. */
export async function previewDocumentRemoval(
  { tx, today }: Work,
  input: z.output<typeof RemovalPreview>,
) {
  const by = input.by ?? today;
  const years = input.document_years ?? (await settingsOf(tx)).retention.document_years;
  return {
    by,
    kinds: await removal.countRemovable(tx, years, by),
    first: await removal.findFirstRemovable(tx, years, by, LISTED_DOCUMENTS_MAX),
  };
}
