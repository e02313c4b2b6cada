import type { Proof } from '../../sql/users/sessions.ts';
import { TENANT_ROLES } from '../../sql/users/users.ts';

export type Role = (typeof TENANT_ROLES)[number];

/**
 * Who may call an endpoint: a role and all roles above it, `any` signed-in user, a `borrower`, a `provider`
 * with its signature, or `anyone`.
 */
export type Allow = Role | 'any' | 'borrower' | 'provider' | 'anyone';

export type User = {
  id: string;
  email: string;
  first_name: string;
  last_name: string;
  tenant_role: Role | null;
  borrower_id: string | null;
  /** The session's id, and the second factor that the session was proved with. */
  session_id: string;
  second_factor: Proof | null;
};

/** One permission in the answer of /users/me, in react-admin's format. */
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

/**
 * Whether the user, or null without a sign-in, may call an endpoint of this kind. Ignores permission rules.
 */
export function isOpenTo(user: User | null, allow: Allow): boolean {
  if (allow === 'anyone' || allow === 'provider') return true;
  if (user === null) return false;
  if (allow === 'any') return true;
  if (allow === 'borrower') return user.borrower_id !== null && user.tenant_role === null;
  return isAtLeast(user.tenant_role, allow);
}
