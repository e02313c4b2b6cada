import { z } from 'zod';
import { addresses } from '../../sql/borrowers/contacts.ts';
import { findOpenTask } from '../../sql/borrowers/tasks.ts';
import { holdForReturnedAddress } from '../../sql/mailing/letters.ts';
import { find } from '../../sql/table.ts';
import { prose } from '../../sql/types.ts';
import { update } from '../../sql/write.ts';
import { ADDRESS_TASK_TITLE, createAddressTasks } from '../communications/address-tasks.ts';
import { Conflict, NotFound } from '../errors.ts';
import type { Work } from '../work.ts';

/** The address indicator of Metro 2 for an address that mail came back from. */
export const RETURNED_MAIL_INDICATOR = 'U';

export const ReturnedMail = z.object({
  note: prose.nullish().describe('The reason given by the post, such as "moved, left no address".'),
});

/**
 * Mail came back from the address: letters go to another of the borrower's, and where there is none they
 * are held until the address is corrected or another is added. Staff have a task, one for the borrower
 * however much comes back.
 */
export async function recordReturnedMail(
  work: Work,
  id: string,
  { note }: z.output<typeof ReturnedMail>,
): Promise<void> {
  const { tx } = work;
  const address = await find(tx, addresses, id);
  if (address === null) throw new NotFound();
  if (address['is_archived'] === true)
    throw new Conflict('This address receives no more messages.', 'archived');
  await update(tx, 'addresses', id, { address_indicator: RETURNED_MAIL_INDICATOR });
  await holdForReturnedAddress(tx, id);
  const borrower_id = String(address['borrower_id']);
  await createAddressTasks(work, [borrower_id]);
  const task = await findOpenTask(tx, borrower_id, ADDRESS_TASK_TITLE);
  const description = note?.trim() || undefined;
  if (task !== null) await update(tx, 'tasks', task, { description });
}
