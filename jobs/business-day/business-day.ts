import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { found } from '../../sql/business-day/found.ts';
import * as lienAlerts from '../../sql/collateral/alerts.ts';
import * as removal from '../../sql/documents/removal.ts';
import { endedCycles } from '../../sql/documents/statements.ts';
import * as payments from '../../sql/payments/payments.ts';
import * as entries from '../../sql/payments/sent-entries.ts';
import * as portfolios from '../../sql/portfolios/portfolios.ts';
import * as sales from '../../sql/portfolios/sales.ts';
import * as tapes from '../../sql/portfolios/tapes.ts';
import { warnOfLapsingLiensJob } from '../collateral/warn-of-lapsing-liens.job.ts';
import { addDays } from '../dates.ts';
import { orderRemoval, removesByAge } from '../documents/remove-old-files.job.ts';
import { billCycles } from '../documents/statements.job.ts';
import { enqueue } from '../job.ts';
import { disputesToWarnOf, warnOfDisputes } from '../loans/reporting/credit-disputes.ts';
import { reportCredit } from '../loans/reporting/report-credit.job.ts';
import { batchOfDay } from '../mailing/make-mail-batch.job.ts';
import { settleFiles } from '../payments/nacha/settle-files.ts';
import { assignToDynamicPortfolios } from '../portfolios/assign.ts';
import { orderDueTapes } from '../portfolios/generate-tape.job.ts';
import { finishSales, leaveSoldPortfolios } from '../portfolios/settle-sale.ts';
import { snapshotPortfoliosJob } from '../portfolios/snapshot.job.ts';
import type { Settings } from '../users/settings.ts';
import type { Work } from '../work.ts';

/** What a day may hold for the tenant as a whole: done where the search finds something. */
type Possible = { find: SqlFragment; act: () => Promise<unknown> };

/** On most days nothing is found, and one statement says so. */
async function doWhatIsFound({ tx }: Work, possible: readonly Possible[]) {
  const searches = possible.map(({ find }) => find);
  for (const at of await found(tx, searches)) await possible[at]?.act();
}

/** Before the loans of a day are closed: which portfolio they are in, so that its records say so. */
export const beforeClose = (work: Work) =>
  doWhatIsFound(work, [
    { find: sales.settling(work.today), act: () => leaveSoldPortfolios(work) },
    { find: portfolios.taking, act: () => assignToDynamicPortfolios(work) },
  ]);

/**
 * Once all loans of a day are closed: what is booked and told of it as a whole, and what begins with the
 * new business date, in the transaction that moves it.
 */
export async function turnOfDay(work: Work, day: string, settings: Settings) {
  const morning = { ...work, today: addDays(day, 1) };
  await orderReports(work, day, settings);
  await doWhatIsFound(work, [...ofEvening(work, day), ...ofMorning(morning)]);
}

/** The jobs of an evening read what the close recorded of the day, so that they may run later and still tell the same. */
async function orderReports(work: Work, day: string, settings: Settings) {
  const { tx, tenant_id } = work;
  await batchOfDay(work, day, settings);
  const isMonthEnd = addDays(day, 1).endsWith('-01');
  if (isMonthEnd) await enqueue(tx, reportCredit, { tenant_id, reporting_period: day });
  if (removesByAge(settings)) await orderRemoval(work);
}

const ofEvening = (work: Work, day: string): Possible[] => {
  const { tx, tenant_id } = work;
  return [
    { find: entries.moving(day), act: () => settleFiles(work, day) },
    { find: sales.settling(day), act: () => finishSales(work, day) },
    {
      find: portfolios.all,
      act: () => enqueue(tx, snapshotPortfoliosJob, { tenant_id, snapshot_date: day }),
    },
    {
      find: lienAlerts.watched,
      act: () => enqueue(tx, warnOfLapsingLiensJob, { tenant_id, date: day }),
    },
    { find: tapes.dueBy(day), act: () => orderDueTapes(work, day) },
  ];
};

/**
 * Nobody has paid on the new day yet. Lines are billed whose cycle has ended; on the first of a month, all
 * others are billed for the month before as soon as the date has moved (bill-chunk.ts).
 */
const ofMorning = (work: Work): Possible[] => [
  { find: disputesToWarnOf(work), act: () => warnOfDisputes(work) },
  { find: lienAlerts.lapsing(work.today), act: () => lienAlerts.lapse(work.tx, work.today) },
  { find: payments.heldUntil(work.today), act: () => payments.settleHeld(work.tx, work.today) },
  // Files of before are still to go, whether or not any are removed by their age.
  { find: removal.left, act: () => orderRemoval(work) },
  { find: endedCycles, act: () => billCycles(work) },
];
