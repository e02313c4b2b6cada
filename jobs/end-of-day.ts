import { snapshotPortfoliosJob } from './portfolios/snapshot.job.ts';
import { warnOfLapsingLiensJob } from './collateral/warn-of-lapsing-liens.job.ts';
import { enqueue } from './job.ts';
import type { Work } from './work.ts';

/**
 * What is told of a day as a whole, once all its loans are closed. Each of these reads what the close
 * recorded of the day, so that it may run later and still tell the same.
 */
export async function endOfDay({ tx, tenant_id }: Work, day: string) {
  await enqueue(tx, snapshotPortfoliosJob, { tenant_id, snapshot_date: day });
  await enqueue(tx, warnOfLapsingLiensJob, { tenant_id, date: day });
}
