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

/** The Metro 2 address indicator for returned mail. */
export const RETURNED_MAIL_INDICATOR = 'U';

export const ReturnedMail = z.object({
  note: prose.nullish().describe('The reason given by the post, such as "moved, left no address".'),
});

/**
 * Records that mail to this address was returned. Letters go to another address of the borrower, or are
 * held until there is a valid one. Staff get one task per borrower, regardless of the number of returns.
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
    throw new Conflict('The address is archived. Choose an active address.', 'archived');
  await update(tx, 'addresses', id, { address_indicator: RETURNED_MAIL_INDICATOR });
  await holdForReturnedAddress(tx, id);
  const borrower_id = String(address['borrower_id']);
  await createAddressTasks(work, [borrower_id]);
  const task = await findOpenTask(tx, borrower_id, ADDRESS_TASK_TITLE);
  const description = note?.trim() || undefined;
  if (task !== null) await update(tx, 'tasks', task, { description });
}
