import type { DatabasePool } from 'slonik';
import { NotFound } from '../jobs/errors.ts';
import { SYSTEM, type Within } from '../jobs/work.ts';
import { within } from '../sql/db.ts';
import { tenantToday } from '../sql/workers.ts';

/** The tenant is deactivated: its jobs wait until it is active again. */
export class TenantParked extends Error {}

/** Gives a job its transactions: as the system, on the business date of the tenant. */
export const withinWork =
  (pool: DatabasePool): Within =>
  (tenantId, steps, mode) =>
    within(
      pool,
      tenantId,
      async (tx) => {
        const tenant = await tenantToday(tx);
        if (!tenant) throw new NotFound('There is no such tenant.');
        if (!tenant.is_active) throw new TenantParked('The tenant is not active.');
        return steps({ tx, tenant_id: tenantId, actor: SYSTEM, today: tenant.business_date });
      },
      mode,
    );
