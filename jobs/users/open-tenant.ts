import { create, place, type NewTenant } from '../../sql/tenants.ts';
import type { Within } from '../work.ts';
import { foundTenant } from './found-tenant.ts';

/** Creates the tenant with what it has from its first day. Answers its id. */
export async function openTenant(
  owner: Parameters<typeof create>[0],
  within: Within,
  tenant: NewTenant,
): Promise<string> {
  const id = await create(owner, tenant);
  await within(id, async (work) => {
    if (tenant.place) await place(work.tx, tenant.place);
    await foundTenant(work);
  });
  return id;
}
