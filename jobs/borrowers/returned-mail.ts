import { z } from 'zod';
import { addresses } from '../../sql/borrowers/contacts.ts';
import { openFor } from '../../sql/borrowers/tasks.ts';
import { holdFor } from '../../sql/mailing/letters.ts';
import { find } from '../../sql/table.ts';
import { prose } from '../../sql/types.ts';
import { insert, update } from '../../sql/write.ts';
import { Conflict, NotFound } from '../errors.ts';
import type { Work } from '../work.ts';

/** The address indicator of Metro 2 for an address that mail came back from. */
export const RETURNED = 'U';

export const Returned = z.object({
  note: prose.nullish().describe('What the post says, such as "moved, left no address".'),
});

const TITLE = 'Mail came back: find out the address';

/**
 * Mail came back from the address: letters go to another of the borrower's, and where there is none they
 * are held until the address is corrected or another is added. Staff have a task, one for the borrower
 * however much comes back.
 */
export async function mailReturned(
  { tx, today }: Work,
  id: string,
  { note }: z.output<typeof Returned>,
): Promise<void> {
  const address = await find(tx, addresses, id);
  if (address === null) throw new NotFound();
  if (address['is_archived'] === true)
    throw new Conflict('Nothing is sent to this address any more.', 'archived');
  await update(tx, 'addresses', id, { address_indicator: RETURNED });
  await holdFor(tx, id);
  const borrower_id = String(address['borrower_id']);
  const description = note?.trim() || null;
  const task = await openFor(tx, borrower_id, TITLE);
  if (task !== null) return update(tx, 'tasks', task, { description: description ?? undefined });
  await insert(tx, 'tasks', {
    ...{ borrower_id, title: TITLE, description, task_type: 'other', due_date: today },
    ...{ related_type: 'borrower', related_id: borrower_id, source: 'system' },
  });
}
