import { z } from 'zod';
import { findLocked, type Row } from '../../sql/table.ts';
import { emailAddress, requiredText } from '../../sql/types.ts';
import * as accounts from '../../sql/users/accounts.ts';
import { lockBorrowerWithEmail } from '../../sql/users/portal-users.ts';
import { users } from '../../sql/users/users.ts';
import { update } from '../../sql/write.ts';
import { auditChange } from '../audit.ts';
import { Conflict, Invalid, NotFound } from '../errors.ts';
import type { Work } from '../work.ts';
import { createUser } from './create-user.ts';
import { notifyUser } from './notify-user.ts';
import { assignedRole } from './roles.ts';

export const Invitation = z.object({
  email: emailAddress.describe(
    'The address to which the invitation goes, and with which the user signs in.',
  ),
  first_name: requiredText,
  last_name: requiredText,
  tenant_role: assignedRole,
});

/** Adds a staff user, who chooses a password through a single-use link. */
export function inviteUser(work: Work, input: z.output<typeof Invitation>): Promise<Row> {
  return auditChange(work, users, 'invite', null, async () => {
    const id = await createUser(work, input);
    await notifyUser(work, { user_id: id, message: 'invitation' });
    return id;
  });
}

/** Sends a new link to a user without a password. The previous link becomes invalid. */
export async function resendInvitation(work: Work, userId: string): Promise<Row> {
  const { tx } = work;
  const before = await findLocked(tx, users, userId);
  if (before === null) throw new NotFound();
  const known = await accounts.findActiveUser(tx, userId);
  if (known === null) throw userInactive();
  if (known.password_hash !== null) throw passwordChosen();
  return auditChange(work, users, 'invite', before, async () => {
    await notifyUser(work, { user_id: userId, message: 'invitation' });
    return userId;
  });
}

export const PortalInvitation = z.object({
  email: emailAddress
    .optional()
    .describe(
      "The address to which the link goes. Default: the address of the borrower's existing user, otherwise the borrower's own.",
    ),
});

/** The address that a portal invitation would go to, and the borrower's existing user, if any. */
export async function findInvitationRecipient(
  work: Work,
  borrowerId: string,
  input: z.output<typeof PortalInvitation>,
) {
  const borrower = await lockBorrowerWithEmail(work.tx, borrowerId);
  const known = await accounts.findUserOfBorrower(work.tx, borrowerId);
  const address = input.email ?? known?.email ?? borrower?.email ?? null;
  return { recipient: { email: address, user_email: known?.email ?? null } };
}

/**
 * Gives a borrower access to the portal, or sends the link again if no password is chosen. Only this action
 * by staff binds a user to a borrower; a matching address never does.
 */
export async function invitePortalUser(
  work: Work,
  borrowerId: string,
  input: z.output<typeof PortalInvitation>,
): Promise<Row> {
  const borrower = await lockBorrowerWithEmail(work.tx, borrowerId);
  if (borrower === null) throw new NotFound();
  if (borrower.is_archived) throw borrowerArchived();
  const known = await accounts.findUserOfBorrower(work.tx, borrowerId);
  if (known?.password_hash) throw hasPortalAccess();
  const address = input.email ?? borrower.email;
  if (!address)
    throw new Invalid({ email: 'Is required, because the borrower has no email address on file.' });
  const before = known && (await findLocked(work.tx, users, known.id));
  return auditChange(work, users, 'invite', before, async () => {
    const { first_name, last_name } = borrower;
    const user = { email: address, first_name, last_name, tenant_role: null };
    const id = known?.id ?? (await createUser(work, { ...user, borrower_id: borrowerId }));
    // A different address means that staff corrects the previous one.
    if (known && input.email) await update(work.tx, 'users', id, { email: address });
    await notifyUser(work, { user_id: id, message: 'invitation' });
    return id;
  });
}

export const userInactive = () =>
  new Conflict('The user is not active. Reactivate the user first.', 'user_inactive');

export const passwordChosen = () =>
  new Conflict('The user has already chosen a password.', 'already_exists');

export const borrowerArchived = () =>
  new Conflict('The borrower is archived.', 'borrower_archived');

export const hasPortalAccess = () =>
  new Conflict('The borrower already has portal access.', 'already_exists');
