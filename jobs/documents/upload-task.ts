import { findOpenTask } from '../../sql/borrowers/tasks.ts';
import * as uploads from '../../sql/documents/uploads.ts';
import { insert } from '../../sql/write.ts';
import { addDays } from '../dates.ts';
import type { Work } from '../work.ts';

/** Days within which somebody looks at what a borrower has sent. */
const LOOK_DAYS = 2;

/**
 * Has somebody look at what a borrower has sent. However many files come, one task is open for those of
 * a type about a loan.
 */
export async function createUploadTask(work: Work, sent: uploads.Upload) {
  const { tx, today } = work;
  const { borrower_id, loan_id } = sent;
  if (loan_id === null) return;
  const type = sent.document_type.replaceAll('_', ' ');
  const title = `Look at what the borrower has sent: ${type}`;
  // Two files that are confirmed at once take turns, and the second finds the task of the first.
  await uploads.lockKey(tx, `${loan_id} ${title}`);
  if ((await findOpenTask(tx, loan_id, title)) !== null) return;
  await insert(tx, 'tasks', {
    title,
    borrower_id,
    loan_id,
    task_type: 'review',
    source: 'system',
    related_type: 'loan',
    related_id: loan_id,
    due_date: addDays(today, LOOK_DAYS),
    description: 'Verify the file or reject it with a reason, which the borrower reads.',
  });
}
