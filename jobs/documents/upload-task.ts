import { findOpenTask } from '../../sql/borrowers/tasks.ts';
import * as uploads from '../../sql/documents/uploads.ts';
import { insert } from '../../sql/write.ts';
import { addDays } from '../dates.ts';
import type { Work } from '../work.ts';

/** Days until the review is due. */
const LOOKBACK_DAYS = 2;

/** Creates a task to review a borrower's upload. Uploads of one type for one loan share an open task. */
export async function createUploadTask(work: Work, sent: uploads.Upload) {
  const { tx, today } = work;
  const { borrower_id, loan_id } = sent;
  if (loan_id === null) return;
  const type = sent.document_type.replaceAll('_', ' ');
  const title = `Review the uploaded document: ${type}`;
  // The lock serializes concurrent confirmations, so that the second one finds the first one's task.
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
    due_date: addDays(today, LOOKBACK_DAYS),
    description: 'Verify the file, or reject it with a reason. The borrower sees the reason.',
  });
}
