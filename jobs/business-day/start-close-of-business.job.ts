import { z } from 'zod';
import * as tenants from '../../sql/tenants.ts';
import { localDate } from '../dates.ts';
import { job } from '../job.ts';
import { startClose } from './close-loans.job.ts';
import { lastEndedDay } from './plan-close.ts';

/** Any transaction will do to ask for the list of tenants; this is nobody's. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/**
 * Looks for tenants whose day is over where they are, and plans its close. Missed days are closed one
 * by one, so an outage of any length is made up for by the next tick.
 */
export const startCloseOfBusiness = job({
  name: 'start-close-of-business',
  pool: 'ledger',
  payload: z.object({}),
  attempts: 3,

  async run(_payload, outside) {
    const active = await outside.within(NOBODY, ({ tx }) => tenants.listActiveTenants(tx), {
      readOnly: true,
    });
    for (const { id, time_zone, business_date } of active) {
      const now = outside.now();
      if (localDate(now, time_zone) <= business_date) continue;
      await outside.within(id, async (work) => {
        const { day } = await lastEndedDay(work, now);
        await startClose(work, day);
      });
    }
  },
});
