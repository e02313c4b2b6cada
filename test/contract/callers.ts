import type { Route } from '../../api/endpoints/route.ts';
import { TENANT_ROLES } from '../../sql/users/users.ts';
import { insert } from '../../sql/write.ts';
import { newClient, type Client } from '../setup/client.ts';
import { PASSWORD, PASSWORD_HASH, type Tenant } from '../setup/world.ts';

/** Every kind of caller: the five roles, a user without a role, a borrower, and an anonymous caller. */
export const CALLERS = [...TENANT_ROLES, 'no role', 'borrower', 'nobody'] as const;
export type Caller = (typeof CALLERS)[number];

/** Repeated on purpose, so that a mistake in the application's own role table fails a test. */
const LADDER = ['viewer', 'collector', 'loan_officer', 'admin', 'superadmin'];
export function isAllowed(caller: Caller, { allow }: Pick<Route, 'allow'>): boolean {
  if (allow === 'anyone' || allow === 'provider') return true;
  if (allow === 'any') return caller !== 'nobody';
  if (allow === 'borrower') return caller === 'borrower';
  return LADDER.indexOf(caller) >= LADDER.indexOf(allow);
}

/** A signed-in client of each kind. */
export async function everybody(tenant: Tenant): Promise<Record<Caller, Client>> {
  const email = `none@${tenant.slug}.test`;
  await tenant.within(async (work) => {
    const names = { first_name: 'No', last_name: 'Role' };
    const secret = { password_hash: PASSWORD_HASH };
    await insert(work.tx, 'users', { email, ...names, tenant_role: null, ...secret });
  });
  const noRole = newClient(tenant.port, tenant.host);
  await noRole.login(email, PASSWORD);
  const nobody = tenant.anonymous();
  await nobody.get('/auth/csrf');
  return {
    viewer: await tenant.signedIn('viewer'),
    collector: await tenant.signedIn('collector'),
    loan_officer: tenant.officer,
    admin: await tenant.signedIn('admin'),
    superadmin: await tenant.signedIn('superadmin'),
    'no role': noRole,
    borrower: await tenant.signedIn('borrower'),
    nobody,
  };
}

/** The caller with the most rights on the route: the borrower in the portal, otherwise the superadmin. */
export const rightful = ({ allow }: Pick<Route, 'allow'>) =>
  allow === 'borrower' ? 'borrower' : 'superadmin';

export const RANDOM_ID = '0197a3c0-1111-7abc-8def-0123456789ab';

/** The path with all parameters filled in. */
export const filled = (path: string, value = RANDOM_ID) => path.replace(/\{\w+\}/g, value);
export const nameOf = ({ method, path }: Route) => `${method} ${path}`;

/** The address with the route's example query, which some endpoints require. */
export function withExampleQuery({ method, example }: Route, address: string): string {
  if (method !== 'GET' || example === undefined) return address;
  return `${address}?${new URLSearchParams({ ...example('2026-03-16') }).toString()}`;
}
