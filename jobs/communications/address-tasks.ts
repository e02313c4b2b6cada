import { openTasksForBorrowers } from '../../sql/borrowers/tasks.ts';
import type { Work } from '../work.ts';

export const ADDRESS_TASK_TITLE = 'Mail came back: find out the address';

/** Staff have a task for each of these borrowers: one, as long as it is open, and another once it was closed. */
export async function createAddressTasks(
  { tx, today: due_date }: Work,
  borrowerIds: readonly string[],
) {
  if (borrowerIds.length === 0) return;
  await openTasksForBorrowers(tx, borrowerIds, { title: ADDRESS_TASK_TITLE, due_date });
}

/** Whether a letter is held because mail came back, however that became known: then the address is wanted. */
export const isAddressMissing = (channel: string, reasons: readonly (string | null)[]) =>
  channel === 'letter' && reasons.includes('contact_invalid');
