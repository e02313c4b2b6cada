import pg from 'pg';
import { addTenant } from '../../jobs/users/add-tenant.ts';
import { SYSTEM, createWithin, type Work } from '../../jobs/work.ts';
import { openPool } from '../../sql/database/db.ts';
import { copyCachedData } from './cached-data.ts';
import { HOST, violationsIn, type BenchWorld } from './world.ts';

const CONNECTIONS = 16;
const SLOW_MS = 3_600_000;

/** A world on a copy of cached data. Its invariants are checked at the end. */
export async function openCachedWorld(
  name: string,
  make: (url: string) => Promise<void>,
): Promise<BenchWorld> {
  const copy = await copyCachedData(name, make);
  const { url, folder } = copy;
  const admin = new pg.Client(url);
  admin.on('error', () => {});
  await admin.connect();
  const pool = await openPool(url, { size: CONNECTIONS, statementTimeoutMs: SLOW_MS });
  const { rows } = await admin.query<{ id: string }>('select id from tenants');
  const tenant_id = rows[0]?.id ?? '';
  return {
    url,
    folder,
    tenant_id,
    within: createWithin(pool, SYSTEM),
    pool,
    admin,
    close: async ({ isFilled = false } = {}) => {
      const violated = isFilled ? [] : await violationsIn(url);
      await Promise.all([admin.end(), pool.end()]);
      await copy.close();
      if (violated.length > 0) throw new Error(`Violated afterwards: ${violated.join('; ')}`);
    },
  };
}

/** Creates the only tenant of cached data, on that business date, and fills it. */
export async function makeTenant(
  url: string,
  business_date: string,
  fill: (work: Work) => Promise<unknown>,
) {
  const owner = await openPool(url, { role: 'servicing_owner', size: 1 });
  const pool = await openPool(url, { size: 1 });
  const within = createWithin(pool, SYSTEM);
  const tenant = { slug: 'bench', name: 'Bench', business_date, domains: [HOST] };
  const tenant_id = await addTenant(owner, within, tenant);
  await within(tenant_id, fill);
  await Promise.all([owner.end(), pool.end()]);
}
