import { sql } from '../../sql/database/db.ts';
import type { Tenant } from './world.ts';

/** Everything that a document must state about its lender. */
export const LETTERHEAD = {
  branding: {
    address_line_1: '100 Example Avenue',
    address_line_2: 'Springfield, IL 62701',
    support_phone: '+12025550100',
  },
  adverse_action: { agency_name: 'Example Agency', agency_address: '1 Agency Row, Washington, DC' },
  tax: { payer_tin: '12-3456789', payer_address: '100 Example Avenue, Springfield, IL 62701' },
};

/** Replaces whole groups of the tenant's settings. Groups that are not given stay unchanged. */
export const saveSettings = (tenant: Pick<Tenant, 'within'>, settings: object) =>
  tenant.within(({ tx }) =>
    tx.query(sql.typeAlias('void')`
      update tenants set settings = settings || ${JSON.stringify(settings)}::jsonb
      where id = app.current_tenant()
    `),
  );
