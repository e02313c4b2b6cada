import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { findMatches } from '../../sql/business-day/find-matches.ts';
import { conditionsTurningOn } from '../../sql/loans/legal-conditions.ts';
import * as lienAlerts from '../../sql/collateral/alerts.ts';
import * as removal from '../../sql/documents/removal.ts';
import { endedCycles } from '../../sql/documents/statements.ts';
import * as payments from '../../sql/payments/payments.ts';
import * as entries from '../../sql/payments/sent-entries.ts';
import * as portfolios from '../../sql/portfolios/portfolios.ts';
import * as sales from '../../sql/portfolios/sales.ts';
import * as tapes from '../../sql/portfolios/tapes.ts';
import { screenBorrowersJob } from '../borrowers/sanctions/screen-borrowers.job.ts';
import { warnOfLapsingLiensJob } from '../collateral/warn-of-lapsing-liens.job.ts';
import { turnLegalStandings } from '../cases/conditions-changed.ts';
import { addDays } from '../dates.ts';
import { enqueueRemoval, hasRetentionLimit } from '../documents/remove-old-files.job.ts';
import { billEndedCycles } from '../documents/statements.job.ts';
import { enqueue } from '../job.ts';
import {
  disputesNearDeadline,
  createDisputeTasks,
} from '../loans/reporting/disputes/credit-disputes.ts';
import { reportCredit } from '../loans/reporting/report-credit.job.ts';
import { enqueueDailyBatch } from '../mailing/make-mail-batch.job.ts';
import { settleNachaFiles } from '../payments/nacha/settle-files.ts';
import { assignToDynamicPortfolios } from '../portfolios/assign.ts';
import { enqueueDueTapes } from '../portfolios/generate-tape.job.ts';
import { finishSales, unassignUnsoldLoans } from '../portfolios/settle-sale.ts';
import { snapshotPortfoliosJob } from '../portfolios/snapshot.job.ts';
import type { Settings } from '../users/settings/settings.ts';
import type { Work } from '../work.ts';

/** A step for the tenant as a whole, which runs if its search finds something. */
type TenantStep = { find: SqlFragment; act: () => Promise<unknown> };

/** One statement runs all searches. On most days they find nothing. */
async function runMatchingSteps({ tx }: Work, possible: readonly TenantStep[]) {
  const searches = possible.map(({ find }) => find);
  for (const at of await findMatches(tx, searches)) await possible[at]?.act();
}

/** Updates portfolio membership before a day's loans are closed, so that snapshots show it. */
export const updatePortfolioMembership = (work: Work) =>
  runMatchingSteps(work, [
    { find: sales.portfoliosSettlingBy(work.today), act: () => unassignUnsoldLoans(work) },
    { find: portfolios.openDynamicPortfolios, act: () => assignToDynamicPortfolios(work) },
  ]);

/**
 * The tenant's steps after all loans of a day are closed: bookings and reports of the day, and the start of
 * the new business date. Runs in the transaction that moves the date.
 */
export async function runTenantSteps(work: Work, day: string, settings: Settings) {
  const morning = { ...work, today: addDays(day, 1) };
  await orderReports(work, day, settings);
  await runMatchingSteps(work, [...eveningSteps(work, day), ...morningSteps(morning)]);
}

/** The evening's jobs read the day's snapshots, so they report the same whenever they run. */
async function orderReports(work: Work, day: string, settings: Settings) {
  const { tx, tenant_id } = work;
  await enqueueDailyBatch(work, day, settings);
  const isMonthEnd = addDays(day, 1).endsWith('-01');
  if (isMonthEnd) await enqueue(tx, reportCredit, { tenant_id, reporting_period: day });
  if (hasRetentionLimit(settings)) await enqueueRemoval(work);
  if (settings.compliance.sanctions_screening !== 'off')
    await enqueue(tx, screenBorrowersJob, { tenant_id });
}

const eveningSteps = (work: Work, day: string): TenantStep[] => {
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
 * Runs before any payment of the new day. Bills lines whose cycle has ended. On the first of a month,
 * `bill-chunk.ts` bills all other loans after the date has moved.
 */
const morningSteps = (work: Work): TenantStep[] => [
  { find: conditionsTurningOn(work.today), act: () => turnLegalStandings(work) },
  { find: disputesNearDeadline(work), act: () => createDisputeTasks(work) },
  {
    find: lienAlerts.lapsedLiens(work.today),
    act: () => lienAlerts.expireLapsedLiens(work.tx, work.today),
  },
  {
    find: payments.withEndedHold(work.today),
    act: () => payments.settleEndedHolds(work.tx, work.today),
  },
  // Files queued for deletion earlier are deleted even if retention is off.
  { find: removal.filesToDelete, act: () => enqueueRemoval(work) },
  { find: endedCycles, act: () => billEndedCycles(work) },
];
