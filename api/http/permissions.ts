import { TENANT_ROLES } from '../../sql/users/users.ts';

export type Role = (typeof TENANT_ROLES)[number];

/**
 * Who may call an endpoint: a role and all above it; `any` signed-in user; a `borrower`; a `provider`
 * with its signature; or `anyone`.
 */
export type Allow = Role | 'any' | 'borrower' | 'provider' | 'anyone';

export type User = {
  id: string;
  email: string;
  first_name: string;
  last_name: string;
  tenant_role: Role | null;
  borrower_id: string | null;
};

/** An entry of what /users/me says that a user may do, as react-admin reads it. */
export type Permission = {
  type?: 'deny';
  action: string;
  resource: string;
  record?: Record<string, unknown>;
};

export const isRole = (allow: Allow): allow is Role =>
  (TENANT_ROLES as readonly string[]).includes(allow);

const isAtLeast = (role: Role | null, least: Role): boolean =>
  role !== null && TENANT_ROLES.indexOf(role) >= TENANT_ROLES.indexOf(least);

/** Whether who this is (null: nobody signed in) opens an endpoint declared so, rules aside. */
export function isOpenTo(user: User | null, allow: Allow): boolean {
  if (allow === 'anyone' || allow === 'provider') return true;
  if (user === null) return false;
  if (allow === 'any') return true;
  if (allow === 'borrower') return user.borrower_id !== null && user.tenant_role === null;
  return isAtLeast(user.tenant_role, allow);
}
