import type { DatabasePool } from 'slonik';
import { listActiveTenants, type ActiveTenant } from '../../sql/tenants.ts';
import { UsageError } from './operation.ts';

/** Finds the tenant by slug. Without a slug, returns the only tenant. */
export async function findTenant(app: DatabasePool, slug?: string): Promise<ActiveTenant> {
  const known = await listActiveTenants(app);
  const [first, ...others] = known;
  if (slug === undefined && first && others.length === 0) return first;
  const found = known.find((tenant) => tenant.slug === slug);
  if (found) return found;
  const slugs = known.map((tenant) => tenant.slug).join(', ') || 'none';
  throw new UsageError(
    slug === undefined
      ? `Name the tenant with --tenant SLUG: ${slugs}.`
      : `There is no active tenant "${slug}". Known: ${slugs}.`,
  );
}
