import { cancelTasks, completeTasks, openTasksForBorrowers } from '../../../sql/borrowers/tasks.ts';
import { hasHits } from '../../../sql/borrowers/sanctions.ts';
import { addBusinessDays } from '../../banks/bank-calendar.ts';
import type { Work } from '../../work.ts';

/** All staff read tasks, but only admins may see a possible match. The words therefore do not name it. */
const REVIEW_TITLE = 'Complete the compliance review of the borrower';
const FOLLOW_UP_TITLE = 'Complete the compliance follow-up of the borrower';
const FOR_ADMINS =
  'Only an admin can do this. An admin sees the reason in the reviews of the borrower.';

/** Blocked property must be reported within 10 business days (31 CFR 501.603(b)(1)(i)). */
const REPORT_DAYS = 10;

/** Opens one task for each borrower with a possible match. */
export const openReviewTasks = ({ tx, today }: Work, borrowerIds: readonly string[]) =>
  openTasksForBorrowers(tx, borrowerIds, {
    title: REVIEW_TITLE,
    description: FOR_ADMINS,
    task_type: 'compliance',
    priority: 'urgent',
    due_date: today,
  });

/** Completes the task when no possible match waits for review any more. */
export async function closeReviewTask({ tx, actor }: Work, borrowerId: string) {
  if (await hasHits(tx, borrowerId, 'pending')) return;
  await completeTasks(tx, borrowerId, [REVIEW_TITLE], actor.id);
}

/** Opens the task that follows a confirmed match. */
export const openFollowUpTask = ({ tx, today }: Work, borrowerId: string) =>
  openTasksForBorrowers(tx, [borrowerId], {
    title: FOLLOW_UP_TITLE,
    description: FOR_ADMINS,
    task_type: 'compliance',
    priority: 'urgent',
    due_date: addBusinessDays(today, REPORT_DAYS),
  });

/** Cancels that task once no match of the borrower is confirmed any more. */
export async function cancelFollowUpTask({ tx }: Work, borrowerId: string) {
  if (await hasHits(tx, borrowerId, 'confirmed')) return;
  await cancelTasks(tx, borrowerId, [FOLLOW_UP_TITLE]);
}
