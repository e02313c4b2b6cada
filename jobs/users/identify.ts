import * as providers from '../../sql/users/identity-providers.ts';
import type { Provider } from '../../sql/users/identity-providers.ts';
import { record } from '../audit.ts';
import { Conflict } from '../errors.ts';
import type { Work } from '../work.ts';
import { personOf, roleOf, type Person } from './claims.ts';
import { createUser } from './create-user.ts';
import { assignRole } from './roles.ts';

type Asked = Pick<Provider, 'role_claim' | 'roles' | 'adds_users'> & { provider_id: string };
type Role = ReturnType<typeof roleOf>;
type Identified = { user_id: string; is_multi_factor: boolean } | { problem: string };

const NOBODY = 'The provider does not say who it is.';
const NO_ROLE = 'The provider names no role that means something here.';
const NO_ACCOUNT = 'There is no account here for whoever has signed in there.';
const INACTIVE = 'The account is not active.';

/**
 * Which of the staff the provider speaks of: whom it has called so before; else, once, whoever has the
 * address that it has verified; else a new user, where the tenant wants that. Roles follow the claims
 * with each sign-in. Borrowers are never found by an address, and do not come in this way.
 */
export async function identify(
  work: Work,
  provider: Asked,
  claims: Record<string, unknown>,
): Promise<Identified> {
  const person = personOf(claims);
  if (person === null) return { problem: NOBODY };
  const { role_claim } = provider;
  const role = role_claim === null ? null : roleOf(claims, role_claim, provider.roles);
  if (role_claim !== null && role === null) return { problem: NO_ROLE };
  const found = await userOf(work, provider, person, role);
  if (found === null) return { problem: NO_ACCOUNT };
  if (!found.is_active) return { problem: INACTIVE };
  if (role !== null && role !== found.tenant_role) await follow(work, found.user_id, role);
  return { user_id: found.user_id, is_multi_factor: person.is_multi_factor };
}

async function userOf(
  work: Work,
  provider: Asked,
  { subject, email, ...person }: Person,
  role: Role,
) {
  const { tx } = work;
  const { provider_id } = provider;
  const known = await providers.known(tx, provider_id, subject);
  if (known !== null || email === null) return known;
  const here = await providers.unknownByEmail(tx, provider_id, email);
  if (here === null && (!provider.adds_users || (await providers.isTaken(tx, email)))) return null;
  const { first_name, last_name } = person;
  const added = { email, first_name, last_name, tenant_role: role };
  const user_id = here?.user_id ?? (await createUser(work, added));
  await providers.link(tx, provider_id, subject, user_id);
  const action = here === null ? 'add-by-provider' : 'link-to-provider';
  await record(work, { type: 'users', id: user_id }, action, {
    provider_id: { old: null, new: provider_id },
    ...(here === null && {
      email: { old: null, new: email },
      tenant_role: { old: null, new: role },
    }),
  });
  return here ?? { user_id, is_active: true, tenant_role: role };
}

/** The role follows the provider's word, but for the last superadmin's. */
async function follow(work: Work, userId: string, role: NonNullable<Role>) {
  try {
    await assignRole(work, { user_id: userId, tenant_role: role });
  } catch (error) {
    if (!(error instanceof Conflict && error.code === 'last_superadmin')) throw error;
  }
}
