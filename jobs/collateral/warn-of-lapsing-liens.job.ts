import { z } from 'zod';
import * as alerts from '../../sql/collateral/alerts.ts';
import { date, uuid } from '../../sql/types.ts';
import { job } from '../job.ts';
import type { Work } from '../work.ts';

/** How many days in advance a lapse is announced (specification, Limits). */
export const LIEN_WARNING_DAYS = 180;

/**
 * Raises one alert for each lien that lapses within the window and for each lapse date. Escalates the alert
 * at 90, 60, 30 and 7 days. Safe to repeat on the same day. Returns the number of new alerts.
 */
export async function warnOfLapsingLiens({ tx }: Pick<Work, 'tx'>, today: string): Promise<number> {
  const { raised } = await alerts.raiseAlerts(tx, today, LIEN_WARNING_DAYS);
  const grown = Map.groupBy(await alerts.escalateAlerts(tx, today), ({ priority }) => priority);
  for (const [priority, ones] of grown) {
    const ids = ones.map(({ lien_id }) => lien_id);
    await alerts.raiseTaskPriority(tx, ids, priority);
  }
  return Number(raised);
}

export const warnOfLapsingLiensJob = job({
  name: 'warn-of-lapsing-liens',
  pool: 'ledger',
  payload: z.object({ tenant_id: uuid, date }),
  attempts: 5,
  key: ({ tenant_id, date: day }) => `warn-of-lapsing-liens:${tenant_id}:${day}`,

  async run({ tenant_id, date: day }, outside) {
    await outside.within(tenant_id, (work) => warnOfLapsingLiens(work, day));
  },
});
