import { insertTenant, setTenantLocale, type NewTenant } from '../../sql/tenants.ts';
import type { Within } from '../work.ts';
import { initializeTenant } from './initialize-tenant.ts';

/** Creates a tenant with its initial data and returns its id. */
export async function addTenant(
  owner: Parameters<typeof insertTenant>[0],
  within: Within,
  tenant: NewTenant,
): Promise<string> {
  const id = await insertTenant(owner, tenant);
  await within(id, async (work) => {
    if (tenant.place) await setTenantLocale(work.tx, tenant.place);
    await initializeTenant(work);
  });
  return id;
}
