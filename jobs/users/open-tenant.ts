import { create, type NewTenant } from '../../sql/tenants.ts';
import type { Within } from '../work.ts';
import { foundTenant } from './found-tenant.ts';

/** Creates the tenant with what it has from its first day. Answers its id. */
export async function openTenant(
  owner: Parameters<typeof create>[0],
  within: Within,
  tenant: NewTenant,
): Promise<string> {
  const id = await create(owner, tenant);
  await within(id, foundTenant);
  return id;
}
