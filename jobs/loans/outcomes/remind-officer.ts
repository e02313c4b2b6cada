import { isActiveStaff, findOpenTask } from '../../../sql/borrowers/tasks.ts';
import type { RawLoan } from '../../../sql/loans/loans.ts';
import { insert, update } from '../../../sql/write.ts';
import type { Work } from '../../work.ts';

type Loan = Pick<RawLoan, 'id' | 'borrower_id' | 'loan_officer_id'>;
type Task = { title: string; description?: string; task_type?: string; priority?: string };

/**
 * Creates a task for the loan's officer. If a task with this title is open, updates its description
 * instead.
 */
export async function remindOfficer({ tx, today }: Work, loan: Loan, task: Task) {
  const { title, description, task_type = 'other', priority = 'normal' } = task;
  const open = await findOpenTask(tx, loan.id, title);
  if (open !== null) {
    await update(tx, 'tasks', open, { description });
    return;
  }
  const officer = loan.loan_officer_id;
  await insert(tx, 'tasks', {
    title,
    description,
    task_type,
    priority,
    borrower_id: loan.borrower_id,
    loan_id: loan.id,
    related_type: 'loan',
    related_id: loan.id,
    assignee_id: officer !== null && (await isActiveStaff(tx, officer)) ? officer : null,
    due_date: today,
    source: 'system',
  });
}
