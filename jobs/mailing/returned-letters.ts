import { addresses } from '../../sql/borrowers/contacts.ts';
import * as letters from '../../sql/mailing/letters.ts';
import { find, findLocked } from '../../sql/table.ts';
import { auditChange } from '../audit.ts';
import { recordReturnedMail } from '../borrowers/returned-mail.ts';
import { Conflict, NotFound } from '../errors.ts';
import type { Work } from '../work.ts';
import type { LetterNote } from './letter.ts';

/**
 * Marks a returned letter and the address printed on it, if the borrower still has that address. A repeat
 * does nothing.
 */
export async function recordReturnedLetter(work: Work, id: string, { note }: LetterNote) {
  const { tx, today } = work;
  const letter = await find(tx, letters.letters, id);
  if (letter === null) throw new NotFound();
  if (letter['status'] === 'withdrawn')
    throw new Conflict('The letter was withdrawn and never mailed.', 'withdrawn');
  if (!(await letters.markReturned(tx, id, today))) return;
  const address = await letters.findPrintedAddress(tx, id);
  if (address === null) return;
  const before = await findLocked(tx, addresses, address);
  await auditChange(work, addresses, 'mail-returned', before, async () => {
    await recordReturnedMail(work, address, { note });
    return address;
  });
}
