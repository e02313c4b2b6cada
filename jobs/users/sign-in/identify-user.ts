import * as providers from '../../../sql/users/identity-providers.ts';
import type { Provider, RoleMax } from '../../../sql/users/identity-providers.ts';
import { TENANT_ROLES } from '../../../sql/users/users.ts';
import { recordAudit } from '../../audit.ts';
import { Conflict } from '../../errors.ts';
import type { Work } from '../../work.ts';
import { readPerson, readRole, type ClaimedPerson } from '../providers/claims.ts';
import { createUser } from '../create-user.ts';
import { applyClaimedRole } from '../roles.ts';

type ProviderRules = Pick<
  Provider,
  'issuer_url' | 'role_claim' | 'roles' | 'adds_users' | 'trusts_amr'
> & {
  provider_id: string;
};
type Role = ReturnType<typeof readRole>;
type Identified =
  | { user_id: string; is_multi_factor: boolean }
  /** The user has to consent before this subject may sign in as that user. */
  | { unlinked: string; subject: string }
  | { problem: string };

const NOT_IDENTIFIED = 'The provider did not identify you.';
const NO_ROLE = 'The provider did not send a role that is configured here.';
const NO_ACCOUNT = 'There is no account here for your sign-in at the provider.';
const INACTIVE = 'The account is not active.';
const ROLE_REMOVED = 'The role of this account was removed here. Ask your administrator.';

/**
 * Finds the staff member for the provider's claims:
 *
 * - the user linked to the subject;
 * - otherwise the user with the verified address, who has to consent first;
 * - otherwise a new user, if the tenant allows that.
 *
 * At each sign-in the user's role follows the claims, up to the role that staff set as the maximum.
 * Borrowers are never found by address and do not sign in this way.
 */
export async function identifyUser(
  work: Work,
  provider: ProviderRules,
  claims: Record<string, unknown>,
): Promise<Identified> {
  const person = readPerson(claims);
  if (person === null) return { problem: NOT_IDENTIFIED };
  const { role_claim, trusts_amr } = provider;
  const claimedRole = role_claim === null ? null : readRole(claims, role_claim, provider.roles);
  if (role_claim !== null && claimedRole === null) return { problem: NO_ROLE };
  const found = await userOf(work, provider, person, claimedRole);
  if (found === null) return { problem: NO_ACCOUNT };
  if (!found.is_active) return { problem: INACTIVE };
  if ('needs_consent' in found) return { unlinked: found.user_id, subject: person.subject };
  if (claimedRole !== null) {
    const role = capRole(claimedRole, found.role_max);
    if (role === null) return { problem: ROLE_REMOVED };
    if (role !== found.tenant_role) await syncClaimedRole(work, found.user_id, role);
  }
  return { user_id: found.user_id, is_multi_factor: trusts_amr && person.is_multi_factor };
}

/** The role that the provider claims, limited to the maximum that staff set. Null if staff removed the role. */
function capRole(claimedRole: NonNullable<Role>, roleMax: RoleMax | null): Role {
  if (roleMax === null) return claimedRole;
  if (roleMax === 'none') return null;
  const isHigher = TENANT_ROLES.indexOf(claimedRole) > TENANT_ROLES.indexOf(roleMax);
  return isHigher ? roleMax : claimedRole;
}

async function userOf(
  work: Work,
  provider: ProviderRules,
  { subject, email, first_name, last_name }: ClaimedPerson,
  role: Role,
) {
  const { tx } = work;
  const { provider_id } = provider;
  const known = await providers.lockLinkedUser(tx, provider, subject);
  if (known !== null || email === null) return known;
  const existing = await providers.findUnlinkedByEmail(tx, provider_id, email);
  if (existing !== null) return { ...existing, needs_consent: true };
  if (!provider.adds_users || (await providers.isEmailTaken(tx, email))) return null;
  const user_id = await createUser(work, { email, first_name, last_name, tenant_role: role });
  await providers.linkUser(tx, provider, { subject, user_id, role_max: null });
  await recordAudit(work, { type: 'users', id: user_id }, 'add-by-provider', {
    provider_id: { old: null, new: provider_id },
    email: { old: null, new: email },
    tenant_role: { old: null, new: role },
  });
  return { user_id, is_active: true, tenant_role: role, role_max: null };
}

/** Applies the role that the provider claims, but keeps the last superadmin. */
async function syncClaimedRole(work: Work, userId: string, role: NonNullable<Role>) {
  try {
    await applyClaimedRole(work, { user_id: userId, tenant_role: role });
  } catch (error) {
    if (!(error instanceof Conflict && error.code === 'last_superadmin')) throw error;
  }
}
