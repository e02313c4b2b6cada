import { z } from 'zod';
import { find, findLocked, type Row } from '../../sql/table.ts';
import { uuid } from '../../sql/types.ts';
import * as identities from '../../sql/users/identity-providers.ts';
import * as accounts from '../../sql/users/accounts.ts';
import { TENANT_ROLES, users } from '../../sql/users/users.ts';
import { update, type Values } from '../../sql/write.ts';
import { auditChange } from '../audit.ts';
import { Conflict, Forbidden, Invalid } from '../errors.ts';
import type { Work } from '../work.ts';

export const AssignRole = z.object({ user_id: uuid, tenant_role: z.enum(TENANT_ROLES) });
export const RemoveRole = z.object({ user_id: uuid });

/**
 * Gives the user the role and ends the sessions that began with another. From then on the claims of a
 * provider may lower the role, but not exceed it. Answers the user.
 */
export async function assignRole(
  work: Work,
  { user_id, tenant_role }: z.output<typeof AssignRole>,
) {
  const user = await changeRole(work, 'assign-role', user_id, tenant_role);
  await identities.capRole(work.tx, user_id, tenant_role);
  return user;
}

/** Takes the user's role away, and with it every permission; no claim gives it back. Answers the user. */
export async function removeRole(work: Work, { user_id }: z.output<typeof RemoveRole>) {
  const user = await changeRole(work, 'remove-role', user_id, null);
  await identities.capRole(work.tx, user_id, 'none');
  return user;
}

/** Gives the user the role that a provider claims, within what staff decided. */
export const applyClaimedRole = (
  work: Work,
  { user_id, tenant_role }: z.output<typeof AssignRole>,
) => changeRole(work, 'assign-role', user_id, tenant_role);

async function changeRole(work: Work, action: string, id: string, role: string | null) {
  const superadmins = await accounts.lockSuperadmins(work.tx);
  const before = await findLocked(work.tx, users, id);
  if (before === null) throw new Invalid({ user_id: 'Does not exist.' });
  if (before['tenant_role'] === role) return before;
  if (before['borrower_id'] !== null)
    throw new Conflict('A user of the borrower portal has no role.', 'borrower_user');
  if (role !== 'superadmin') checkLoss(work, superadmins, id);
  return auditChange(work, users, action, before, async () => {
    await accounts.setRole(work.tx, id, role);
    return id;
  });
}

/** Ends the user's access at once. A user who has none already is left as he is. */
export async function deactivateUser(work: Work, id: string) {
  await setActive(work, id, false);
}

/** Names and access; whoever is above the acting user keeps the access that he has. */
export async function changeUser(work: Work, id: string, changes: Values, row: Row) {
  const { is_active, ...names } = changes;
  await update(work.tx, 'users', id, names);
  if (typeof is_active !== 'boolean' || is_active === row['is_active']) return;
  if (isTop(row) && work.actor.role !== 'superadmin') {
    throw new Forbidden('Only a superadmin decides about a superadmin.', 'permission_denied', {
      required_role: 'superadmin',
    });
  }
  await setActive(work, id, is_active);
}

async function setActive(work: Work, id: string, isActive: boolean) {
  const superadmins = await accounts.lockSuperadmins(work.tx);
  const user = await find(work.tx, users, id);
  if (user?.['is_active'] === isActive) return;
  if (!isActive) {
    checkLoss(work, superadmins, id);
    await accounts.voidTokens(work.tx, id);
  }
  await accounts.setActive(work.tx, id, isActive);
}

const isTop = (user: Row) => user['tenant_role'] === 'superadmin';

/** Nobody shuts himself out, and there is always a superadmin left. */
function checkLoss({ actor }: Work, superadmins: readonly string[], id: string) {
  if (actor.id === id)
    throw new Conflict('You cannot take your own access away.', 'last_superadmin');
  if (superadmins.length === 1 && superadmins[0] === id)
    throw new Conflict('The tenant must keep a superadmin.', 'last_superadmin');
}
