import { openTasksForBorrowers } from '../../sql/borrowers/tasks.ts';
import type { Work } from '../work.ts';

export const ADDRESS_TASK_TITLE = 'Mail was returned: find the current address';

/** Creates a staff task for each of these borrowers, unless one is still open. */
export async function createAddressTasks(
  { tx, today: due_date }: Work,
  borrowerIds: readonly string[],
) {
  if (borrowerIds.length === 0) return;
  await openTasksForBorrowers(tx, borrowerIds, { title: ADDRESS_TASK_TITLE, due_date });
}

/** Whether a letter is blocked because mail to the address was returned. */
export const isAddressMissing = (channel: string, reasons: readonly (string | null)[]) =>
  channel === 'letter' && reasons.includes('contact_invalid');
