import { warnOfLapsingLiensJob } from './collateral/warn-of-lapsing-liens.job.ts';
import { addDays, monthStart } from './dates.ts';
import { billMonth } from './documents/statements.job.ts';
import { enqueue } from './job.ts';
import { snapshotPortfoliosJob } from './portfolios/snapshot.job.ts';
import type { Work } from './work.ts';

/**
 * What is told of a day as a whole, once all its loans are closed and the business date has moved on.
 * A month is billed at once, before anybody can pay on the new day; the rest reads what the close
 * recorded of the day, so that it may run later and still tell the same.
 */
export async function endOfDay(work: Work, day: string) {
  const { tx, tenant_id } = work;
  await enqueue(tx, snapshotPortfoliosJob, { tenant_id, snapshot_date: day });
  await enqueue(tx, warnOfLapsingLiensJob, { tenant_id, date: day });
  const isMonthEnd = monthStart(addDays(day, 1)) === addDays(day, 1);
  if (isMonthEnd) await billMonth(work, monthStart(day));
}
