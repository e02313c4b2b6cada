import { SYSTEM, createWithin } from '../../jobs/work.ts';
import { findQuarantinedLoans } from '../../sql/business-day/quarantines.ts';
import type { Operation } from './operation.ts';
import { findTenant } from './find-tenant.ts';

/** Only the oldest are shown, because they have waited longest. */
const SHOWN_MAX = 200;

export const listQuarantinedLoans: Operation = {
  name: 'quarantined',
  usage: '[--tenant SLUG]',
  summary: 'Lists quarantined loans with the reasons. The next close tries them again',
  options: ['tenant'],
  run: async ({ app, options }) => {
    const { id } = await findTenant(app, options['tenant']);
    const rows = await createWithin(app, SYSTEM)(
      id,
      ({ tx }) => findQuarantinedLoans(tx, SHOWN_MAX),
      {
        readOnly: true,
      },
    );
    return rows.length === 0 ? { say: 'No loan is quarantined.', rows } : { rows };
  },
};
