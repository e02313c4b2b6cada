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

const user_id = uuid.describe('The id of the staff user.');

/** A role that a request assigns. */
export const assignedRole = z
  .enum(TENANT_ROLES)
  .describe(
    'The role. Each role may do everything that the roles before it may; each operation names the role that it requires.',
  );
export const AssignRole = z.object({ user_id, tenant_role: assignedRole });
export const RemoveRole = z.object({ user_id });

/**
 * Assigns a role and ends sessions that began with another role. A provider's claims may lower this role
 * later, but not exceed it. Returns the user.
 */
export async function assignRole(
  work: Work,
  { user_id, tenant_role }: z.output<typeof AssignRole>,
) {
  const user = await changeRole(work, 'assign-role', user_id, tenant_role);
  await identities.capRole(work.tx, user_id, tenant_role);
  return user;
}

/**
 * Removes the user's role and with it all permissions. A provider's claims cannot restore it. Returns the
 * user.
 */
export async function removeRole(work: Work, { user_id }: z.output<typeof RemoveRole>) {
  const user = await changeRole(work, 'remove-role', user_id, null);
  await identities.capRole(work.tx, user_id, 'none');
  return user;
}

/** Assigns the role that a provider claims. The caller limits it to the maximum set by staff. */
export const applyClaimedRole = (
  work: Work,
  { user_id, tenant_role }: z.output<typeof AssignRole>,
) => changeRole(work, 'assign-role', user_id, tenant_role);

async function changeRole(work: Work, action: string, id: string, role: string | null) {
  const superadmins = await accounts.lockSuperadmins(work.tx);
  const before = await findLocked(work.tx, users, id);
  if (before === null) throw new Invalid({ user_id: 'Does not exist.' });
  if (before['tenant_role'] === role) return before;
  if (before['borrower_id'] !== null) throw borrowerUser();
  if (role !== 'superadmin') assertSuperadminRemains(work, superadmins, id);
  return auditChange(work, users, action, before, async () => {
    await accounts.setRole(work.tx, id, role);
    return id;
  });
}

/** Ends the user's access immediately. Does nothing for an inactive user. */
export async function deactivateUser(work: Work, id: string) {
  await setActive(work, id, false);
}

/** Changes names and access. Only a superadmin may change a superadmin's access. */
export async function changeUser(work: Work, id: string, changes: Values, row: Row) {
  const { is_active, ...names } = changes;
  await update(work.tx, 'users', id, names);
  if (typeof is_active !== 'boolean' || is_active === row['is_active']) return;
  if (isSuperadmin(row) && work.actor.role !== 'superadmin') {
    throw new Forbidden(
      "Only a superadmin can change a superadmin's access.",
      'permission_denied',
      {
        required_role: 'superadmin',
      },
    );
  }
  await setActive(work, id, is_active);
}

async function setActive(work: Work, id: string, isActive: boolean) {
  const superadmins = await accounts.lockSuperadmins(work.tx);
  const user = await find(work.tx, users, id);
  if (user?.['is_active'] === isActive) return;
  if (!isActive) {
    assertSuperadminRemains(work, superadmins, id);
    await accounts.voidTokens(work.tx, id);
  }
  await accounts.setActive(work.tx, id, isActive);
}

const isSuperadmin = (user: Row) => user['tenant_role'] === 'superadmin';

/** Throws Conflict if users would remove their own access, or if no superadmin would remain. */
function assertSuperadminRemains({ actor }: Work, superadmins: readonly string[], id: string) {
  if (actor.id === id) throw ownAccess();
  if (superadmins.length === 1 && superadmins[0] === id) throw lastSuperadmin();
}

export const ownAccess = () =>
  new Conflict('You cannot remove your own access.', 'last_superadmin');

export const lastSuperadmin = () =>
  new Conflict('The tenant must keep at least one superadmin.', 'last_superadmin');

export const borrowerUser = () =>
  new Conflict('A borrower portal user cannot have a role.', 'borrower_user');
