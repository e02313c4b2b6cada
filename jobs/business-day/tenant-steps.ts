import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { findMatches } from '../../sql/business-day/find-matches.ts';
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
import { enqueueRemoval, hasRetentionLimit } from '../documents/remove-old-files.job.ts';
import { billEndedCycles } from '../documents/statements.job.ts';
import { enqueue } from '../job.ts';
import { disputesNearDeadline, createDisputeTasks } from '../loans/reporting/credit-disputes.ts';
import { reportCredit } from '../loans/reporting/report-credit.job.ts';
import { enqueueDailyBatch } from '../mailing/make-mail-batch.job.ts';
import { settleNachaFiles } from '../payments/nacha/settle-files.ts';
import { assignToDynamicPortfolios } from '../portfolios/assign.ts';
import { enqueueDueTapes } from '../portfolios/generate-tape.job.ts';
import { finishSales, unassignUnsoldLoans } from '../portfolios/settle-sale.ts';
import { snapshotPortfoliosJob } from '../portfolios/snapshot.job.ts';
import type { Settings } from '../users/settings.ts';
import type { Work } from '../work.ts';

/** What a day may hold for the tenant as a whole: done where the search finds something. */
type Possible = { find: SqlFragment; act: () => Promise<unknown> };

/** On most days nothing is found, and one statement says so. */
async function doWhatIsFound({ tx }: Work, possible: readonly Possible[]) {
  const searches = possible.map(({ find }) => find);
  for (const at of await findMatches(tx, searches)) await possible[at]?.act();
}

/** Before the loans of a day are closed: which portfolio they are in, so that its records say so. */
export const updatePortfolioMembership = (work: Work) =>
  doWhatIsFound(work, [
    { find: sales.portfoliosSettlingBy(work.today), act: () => unassignUnsoldLoans(work) },
    { find: portfolios.openDynamicPortfolios, act: () => assignToDynamicPortfolios(work) },
  ]);

/**
 * Once all loans of a day are closed: what is booked and told of it as a whole, and what begins with the
 * new business date, in the transaction that moves it.
 */
export async function runTenantSteps(work: Work, day: string, settings: Settings) {
  const morning = { ...work, today: addDays(day, 1) };
  await orderReports(work, day, settings);
  await doWhatIsFound(work, [...ofEvening(work, day), ...ofMorning(morning)]);
}

/** The jobs of an evening read what the close recorded of the day, so that they may run later and still tell the same. */
async function orderReports(work: Work, day: string, settings: Settings) {
  const { tx, tenant_id } = work;
  await enqueueDailyBatch(work, day, settings);
  const isMonthEnd = addDays(day, 1).endsWith('-01');
  if (isMonthEnd) await enqueue(tx, reportCredit, { tenant_id, reporting_period: day });
  if (hasRetentionLimit(settings)) await enqueueRemoval(work);
}

const ofEvening = (work: Work, day: string): Possible[] => {
  const { tx, tenant_id } = work;
  return [
    { find: entries.entriesToSettle(day), act: () => settleNachaFiles(work, day) },
    { find: sales.portfoliosSettlingBy(day), act: () => finishSales(work, day) },
    {
      find: portfolios.anyPortfolio,
      act: () => enqueue(tx, snapshotPortfoliosJob, { tenant_id, snapshot_date: day }),
    },
    {
      find: lienAlerts.anyLien,
      act: () => enqueue(tx, warnOfLapsingLiensJob, { tenant_id, date: day }),
    },
    { find: tapes.configsDueBy(day), act: () => enqueueDueTapes(work, day) },
  ];
};

/**
 * Nobody has paid on the new day yet. Lines are billed whose cycle has ended; on the first of a month, all
 * others are billed for the month before as soon as the date has moved (bill-chunk.ts).
 */
const ofMorning = (work: Work): Possible[] => [
  { find: disputesNearDeadline(work), act: () => createDisputeTasks(work) },
  {
    find: lienAlerts.lapsedLiens(work.today),
    act: () => lienAlerts.expireLapsedLiens(work.tx, work.today),
  },
  {
    find: payments.withEndedHold(work.today),
    act: () => payments.settleEndedHolds(work.tx, work.today),
  },
  // Files of before are still to go, whether or not any are removed by their age.
  { find: removal.filesToDelete, act: () => enqueueRemoval(work) },
  { find: endedCycles, act: () => billEndedCycles(work) },
];
