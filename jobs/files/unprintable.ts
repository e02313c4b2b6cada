import { insert } from '../../sql/write.ts';
import type { Work } from '../work.ts';

type UnprintableFile = {
  id: string;
  filename: string;
  borrower_id: string;
  loan_id: string | null;
};

/**
 * Adds a task for a document with characters for which no font is installed. Call once per document, in the
 * transaction that stores it.
 */
export async function reportUnprintable(
  { tx, today }: Work,
  { id, filename, borrower_id, loan_id }: UnprintableFile,
  unprintable: readonly string[] | undefined,
) {
  if (!unprintable || unprintable.length === 0) return;
  await insert(tx, 'tasks', {
    borrower_id,
    loan_id,
    title: `Check the characters in ${filename}`,
    description: `The document has characters without a font (${listNames(unprintable)}). A question mark is printed in place of each. Write the name or text in another script if the recipient must be able to read it.`,
    task_type: 'other',
    priority: 'high',
    due_date: today,
    source: 'system',
    related_type: 'document',
    related_id: id,
  });
}

const LISTED_NAMES_MAX = 10;

function listNames(unprintable: readonly string[]): string {
  const more = unprintable.length - LISTED_NAMES_MAX;
  const named = unprintable.slice(0, LISTED_NAMES_MAX).join(', ');
  return more > 0 ? `${named} and ${more} more` : named;
}
