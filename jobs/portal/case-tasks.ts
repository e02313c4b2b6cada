import { findOpenTask } from '../../sql/borrowers/tasks.ts';
import { insert, update } from '../../sql/write.ts';
import { addDays } from '../dates.ts';
import type { Work } from '../work.ts';

/** Days until a borrower's message must be answered. */
const ANSWER_DAYS = 2;

/** Days to investigate a direct dispute of a consumer (12 CFR 1022.43, FCRA 623). */
const DISPUTE_DAYS = 30;

type Case = { id: string; case_number: string; borrower_id: string; loan_id: string | null };

/**
 * Creates one task to answer the borrower, assigned to the case's assignee. Further messages keep the same
 * task.
 */
export async function createReplyTask(work: Work, about: Case & { assigned_to: string | null }) {
  const title = `Answer the borrower in case ${about.case_number}`;
  const open = await findOpenTask(work.tx, about.id, title);
  if (open !== null) return update(work.tx, 'tasks', open, { assignee_id: about.assigned_to });
  await add(
    work,
    about,
    { title, task_type: 'review', assignee_id: about.assigned_to },
    ANSWER_DAYS,
  );
}

/** Creates a task to open a credit dispute for a loan that was reported to bureaus. */
export const createDisputeTask = (work: Work, about: Case) =>
  add(
    work,
    about,
    {
      title: `Open the credit dispute of case ${about.case_number}`,
      description:
        'The borrower disputes what was reported to credit bureaus. Open a credit dispute for the loan.',
      task_type: 'compliance',
      priority: 'high',
    },
    DISPUTE_DAYS,
  );

/** Creates a task for a case message that could not be sent, with the reason. */
export const createUnsentMessageTask = (work: Work, about: Case, reason: string) =>
  add(
    work,
    about,
    {
      title: `Notify the borrower of the answer in case ${about.case_number}`,
      description: `No message was sent: ${reason}`,
      task_type: 'callback',
    },
    ANSWER_DAYS,
  );

const add = (work: Work, { id, borrower_id, loan_id }: Case, task: object, days: number) =>
  insert(work.tx, 'tasks', {
    ...task,
    borrower_id,
    loan_id,
    due_date: addDays(work.today, days),
    source: 'system',
    related_type: 'support_case',
    related_id: id,
  });
