import { isActiveStaff } from '../../sql/borrowers/tasks.ts';
import { isLiable } from '../../sql/loans/co-borrowers.ts';
import type { Row } from '../../sql/table.ts';
import { insert, update, type Values } from '../../sql/write.ts';
import { Invalid } from '../errors.ts';
import type { Work } from '../work.ts';

type Input = Values & {
  assignee_id?: string | null | undefined;
};
type NewTask = Input & {
  borrower_id: string | null;
  loan_id?: string | null | undefined;
  title: string;
};

/** Adds a task. Throws Invalid if the borrower does not owe the task's loan. */
export async function addTask(work: Work, input: NewTask): Promise<string> {
  const { loan_id, borrower_id } = input;
  if (loan_id && !(await isLiable(work.tx, loan_id, borrower_id ?? '')))
    throw new Invalid({ loan_id: 'Does not exist.' });
  await checkAssignee(work, input);
  return insert(work.tx, 'tasks', { ...input, ...completion(work, input, 'open') });
}

/** Changes a task. Completing it records the time and the user; reopening it clears both. */
export async function changeTask(work: Work, id: string, changes: Input, row: Row) {
  await checkAssignee(work, changes, row);
  await update(work.tx, 'tasks', id, { ...changes, ...completion(work, changes, row['status']) });
}

async function checkAssignee({ tx }: Work, { assignee_id }: Input, row?: Row) {
  if (!assignee_id || assignee_id === row?.['assignee_id']) return;
  if (!(await isActiveStaff(tx, assignee_id)))
    throw new Invalid({ assignee_id: 'Does not exist.' });
}

function completion({ actor }: Work, { status }: Values, before: unknown): Values {
  if (status === undefined || status === before) return {};
  if (status !== 'completed') return { completed_at: null, completed_by: null };
  return { completed_at: new Date().toISOString(), completed_by: actor.id };
}
