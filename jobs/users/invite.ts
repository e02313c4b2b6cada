import { z } from 'zod';
import { findLocked, type Row } from '../../sql/table.ts';
import { emailAddress, words } from '../../sql/types.ts';
import * as accounts from '../../sql/users/accounts.ts';
import { findBorrower } from '../../sql/users/portal-users.ts';
import { TENANT_ROLES } from '../../sql/users/users.ts';
import { users } from '../../sql/users/users.ts';
import { update } from '../../sql/write.ts';
import { audited } from '../audit.ts';
import { Conflict, Invalid, NotFound } from '../errors.ts';
import type { Work } from '../work.ts';
import { createUser } from './create-user.ts';
import { notify } from './notify.ts';

export const Invitation = z.object({
  email: emailAddress,
  first_name: words,
  last_name: words,
  tenant_role: z.enum(TENANT_ROLES),
});

/**
 * Adds one of the staff, who chooses a password through a link that works once. Invited again before he
 * has ever come in, he is who this invitation says, and its link ends the one before.
 */
export async function inviteUser(work: Work, input: z.output<typeof Invitation>): Promise<Row> {
  const { tx } = work;
  const { email, ...person } = input;
  const known = await accounts.activeByEmail(tx, email);
  const before = known && (await findLocked(tx, users, known.id));
  const isWaiting = known?.password_hash === null && before?.['last_login'] === null;
  const isStaff = known?.borrower_id === null;
  return audited(work, users, 'invite', isWaiting && isStaff ? before : null, async () => {
    const id = isWaiting && isStaff ? known.id : await createUser(work, input);
    await update(tx, 'users', id, person);
    await notify(work, { user_id: id, message: 'invitation' });
    return id;
  });
}

export const PortalInvitation = z.object({ email: emailAddress.optional() });

/**
 * Opens the portal to a borrower, or sends the link again while no password is chosen. The user is
 * bound to the borrower here, by the staff; never later, by an address that happens to be the same.
 */
export async function invitePortalUser(
  work: Work,
  borrowerId: string,
  input: z.output<typeof PortalInvitation>,
): Promise<Row> {
  const borrower = await findBorrower(work.tx, borrowerId);
  if (borrower === null) throw new NotFound();
  if (borrower.is_archived) throw new Conflict('The borrower is archived.', 'borrower_archived');
  const known = await accounts.ofBorrower(work.tx, borrowerId);
  if (known?.password_hash) throw new Conflict('The borrower has a user.', 'already_exists');
  const address = input.email ?? borrower.email;
  if (!address) throw new Invalid({ email: 'Is required: the borrower has no address on file.' });
  const before = known && (await findLocked(work.tx, users, known.id));
  return audited(work, users, 'invite', before, async () => {
    const { first_name, last_name } = borrower;
    const user = { email: address, first_name, last_name, tenant_role: null };
    const id = known?.id ?? (await createUser(work, { ...user, borrower_id: borrowerId }));
    // Whoever says another address this time has found the one before to be wrong.
    if (known && input.email) await update(work.tx, 'users', id, { email: address });
    await notify(work, { user_id: id, message: 'invitation' });
    return id;
  });
}
