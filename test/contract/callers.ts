import type { Route } from '../../api/endpoints/route.ts';
import { TENANT_ROLES } from '../../sql/users/users.ts';
import { insert } from '../../sql/write.ts';
import { newClient, type Client } from '../setup/client.ts';
import { PASSWORD, PASSWORD_HASH, type Tenant } from '../setup/world.ts';

/** Everybody who may knock: the five roles, a user without one, a borrower, and nobody at all. */
export const CALLERS = [...TENANT_ROLES, 'no role', 'borrower', 'nobody'] as const;
export type Caller = (typeof CALLERS)[number];

/** Said a second time on purpose: a slip in the program's own table of roles must not pass. */
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

/** Whoever may do all that the route does, where anybody may. */
export const rightful = ({ allow }: Pick<Route, 'allow'>) =>
  allow === 'borrower' ? 'borrower' : 'superadmin';

export const RANDOM_ID = '0197a3c0-1111-7abc-8def-0123456789ab';

/** The path with every parameter filled in. */
export const filled = (path: string, value = RANDOM_ID) => path.replace(/\{\w+\}/g, value);
export const nameOf = ({ method, path }: Route) => `${method} ${path}`;
