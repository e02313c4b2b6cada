import type { Proof } from '../../sql/users/sessions.ts';
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
  /** The name of the session, and what beside the first factor it was proved by. */
  session_id: string;
  second_factor: Proof | null;
};

export const isAtLeast = (role: Role | null, least: Role): boolean =>
  role !== null && TENANT_ROLES.indexOf(role) >= TENANT_ROLES.indexOf(least);

/** Whether this user (null: nobody signed in) may call an endpoint declared so. */
export function mayCall(user: User | null, allow: Allow): boolean {
  if (allow === 'anyone' || allow === 'provider') return true;
  if (user === null) return false;
  if (allow === 'any') return true;
  if (allow === 'borrower') return user.borrower_id !== null && user.tenant_role === null;
  return isAtLeast(user.tenant_role, allow);
}

export type Permission = {
  type?: 'deny';
  action: string;
  resource: string;
  record?: Record<string, unknown>;
};

type Declared = { allow: Allow; action: string; resource: string };

/**
 * What a role means, read off the route table so that the dashboard shows what the API allows: the
 * wildcard for the superadmin, and one grant per action and resource for the others.
 */
export function permissionsOf(role: Role | null, routes: readonly Declared[]): Permission[] {
  if (role === null) return [];
  if (role === 'superadmin') return [{ action: '*', resource: '*' }];
  const granted = new Map<string, Permission>();
  for (const { allow, action, resource } of routes) {
    const isRole = (TENANT_ROLES as readonly string[]).includes(allow);
    if (isRole && isAtLeast(role, allow as Role)) {
      granted.set(`${resource} ${action}`, { action, resource });
    }
  }
  return [...granted.values()];
}
