import { sql } from '../../sql/database/db.ts';
import type { Tenant } from './world.ts';

/** Sets what a test needs of the tenant's settings; whole groups, the others stay. */
export const settle = (tenant: Pick<Tenant, 'within'>, settings: object) =>
  tenant.within(({ tx }) =>
    tx.query(sql.typeAlias('void')`
      update tenants set settings = settings || ${JSON.stringify(settings)}::jsonb
      where id = app.current_tenant()
    `),
  );
