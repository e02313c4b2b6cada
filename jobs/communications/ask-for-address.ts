import { openForAll } from '../../sql/borrowers/tasks.ts';
import type { Work } from '../work.ts';

export const ADDRESS_WANTED = 'Mail came back: find out the address';

/** Staff have a task for each of these borrowers: one, as long as it is open, and another once it was closed. */
export async function askForAddress({ tx, today: due_date }: Work, borrowerIds: readonly string[]) {
  if (borrowerIds.length === 0) return;
  await openForAll(tx, borrowerIds, { title: ADDRESS_WANTED, due_date });
}

/** Whether a letter is held because mail came back, however that became known: then the address is wanted. */
export const wantsAddress = (channel: string, reasons: readonly (string | null)[]) =>
  channel === 'letter' && reasons.includes('contact_invalid');
