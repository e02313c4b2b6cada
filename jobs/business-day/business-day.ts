import { hasEndedCycles } from '../../sql/documents/statements.ts';
import { settleHeld } from '../../sql/payments/payments.ts';
import * as lienAlerts from '../../sql/collateral/alerts.ts';
import { warnOfLapsingLiensJob } from '../collateral/warn-of-lapsing-liens.job.ts';
import { addDays } from '../dates.ts';
import { orderRemoval } from '../documents/remove-old-files.job.ts';
import { billCycles } from '../documents/statements.job.ts';
import { enqueue } from '../job.ts';
import { warnOfDisputes } from '../loans/reporting/credit-disputes.ts';
import { reportCredit } from '../loans/reporting/report-credit.job.ts';
import { batchOfDay } from '../mailing/make-mail-batch.job.ts';
import { settleFiles } from '../payments/nacha/settle-files.ts';
import { assignToDynamicPortfolios } from '../portfolios/assign.ts';
import { orderDueTapes } from '../portfolios/generate-tape.job.ts';
import { finishSales, leaveSoldPortfolios } from '../portfolios/settle-sale.ts';
import { snapshotPortfoliosJob } from '../portfolios/snapshot.job.ts';
import type { Settings } from '../users/settings.ts';
import type { Work } from '../work.ts';

/** Before the loans of a day are closed: which portfolio they are in, so that its records say so. */
export async function beforeClose(work: Work) {
  await leaveSoldPortfolios(work);
  await assignToDynamicPortfolios(work);
}

/**
 * What is booked and told of a day as a whole, once all its loans are closed. These jobs read what the close
 * recorded of the day, so that they may run later and still tell the same.
 */
export async function endOfDay(work: Work, day: string, settings: Settings) {
  const { tx, tenant_id } = work;
  await settleFiles(work, day);
  await finishSales(work, day);
  await enqueue(tx, snapshotPortfoliosJob, { tenant_id, snapshot_date: day });
  await enqueue(tx, warnOfLapsingLiensJob, { tenant_id, date: day });
  await orderDueTapes(work, day);
  await batchOfDay(work, day, settings);
  const isMonthEnd = addDays(day, 1).endsWith('-01');
  if (isMonthEnd) await enqueue(tx, reportCredit, { tenant_id, reporting_period: day });
}

/**
 * What begins with a new business date, in the transaction that moves it: nobody has paid on the new
 * day yet. Lines are billed whose cycle has ended; on the first of a month, all others are billed for the month
 * before as soon as the date has moved (bill-chunk.ts).
 */
export async function startOfDay(work: Work, settings: Settings) {
  await warnOfDisputes(work);
  await lienAlerts.lapse(work.tx, work.today);
  await settleHeld(work.tx, work.today);
  await orderRemoval(work, settings);
  if (await hasEndedCycles(work.tx)) await billCycles(work);
}
