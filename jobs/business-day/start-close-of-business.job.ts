import { z } from 'zod';
import * as tenants from '../../sql/tenants.ts';
import { localDate } from '../dates.ts';
import { job } from '../job.ts';
import { startClose } from './close-loans.job.ts';
import { lastEndedDay } from './plan-close.ts';
import { NO_TENANT_ID } from '../work.ts';

/**
 * Finds tenants whose business date is over in their time zone and starts its close. Missed days are closed
 * one by one, so the next tick recovers from an outage of any length. The date of a sandbox moves only when a
 * client moves it.
 */
export const startCloseOfBusiness = job({
  name: 'start-close-of-business',
  pool: 'ledger',
  payload: z.object({}),
  attempts: 3,

  async run(_payload, outside) {
    const active = await outside.within(NO_TENANT_ID, ({ tx }) => tenants.listActiveTenants(tx), {
      readOnly: true,
    });
    for (const { id, time_zone, business_date, is_sandbox } of active) {
      if (is_sandbox) continue;
      const now = outside.now();
      if (localDate(now, time_zone) <= business_date) continue;
      await outside.within(id, async (work) => {
        const { day } = await lastEndedDay(work, now);
        await startClose(work, day);
      });
    }
  },
});
