import type { Client } from './client.ts';
import type { Stage, Tenant } from './world.ts';

/** A rule that hides a field of borrowers. */
export const DENIED_SSN_RULE = {
  type: 'deny',
  action: '*',
  resource: 'borrowers',
  record: { ssn_last_four: true },
};

/** A tenant whose superadmin gives other users rules and grants in addition to their roles. */
export async function newTeam(stage: Stage) {
  const tenant = await stage.tenant();
  const superadmin = await tenant.signedIn('superadmin');
  const viewer = await tenant.signedIn('viewer');
  const give = (role: string, rule: object) =>
    superadmin.post(`/users/${tenant.userIds[role]}/permissions`, rule);
  const lend = (role: string, grant: object) =>
    superadmin.post(`/users/${tenant.userIds[role]}/object-grants`, grant);
  return { tenant, superadmin, viewer, give, lend, officer: tenant.officer };
}

/** The permissions that the API reports to the user. */
export const fetchPermissions = async (client: Client) =>
  ((await client.get('/users/me')).body as { permissions: object[] }).permissions;

/** Makes the admin a second superadmin. */
export async function secondSuperadmin(tenant: Tenant, superadmin: Client) {
  const user_id = tenant.userIds['admin'];
  await superadmin.post('/users/assign-role', { user_id, tenant_role: 'superadmin' });
  return tenant.signedIn('admin');
}

/** A tenant in which a superadmin has hidden fields from the officer. */
export async function newStaff(stage: Stage) {
  const { give: giving, ...team } = await newTeam(stage);
  const give = async (rule: object) => {
    const { status, body } = await giving('loan_officer', rule);
    if (status !== 201) throw new Error(JSON.stringify(body));
  };
  const deny = (resource: string, ...fields: string[]) => {
    const record = Object.fromEntries(fields.map((field) => [field, true]));
    return give({ type: 'deny', action: '*', resource, record });
  };
  return { ...team, give, deny };
}

/** Every field name in an answer, at any depth. */
export const fieldNamesIn = (value: unknown): string[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([name, inner]) => [name, ...fieldNamesIn(inner)]);
