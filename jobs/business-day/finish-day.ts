import * as billing from '../../sql/business-day/billing.ts';
import * as close from '../../sql/business-day/closes.ts';
import { forgetBusinessDate } from '../../sql/database/within.ts';
import * as tenants from '../../sql/tenants.ts';
import { addDays, addMonths } from '../dates.ts';
import { settingsOf } from '../users/settings.ts';
import type { Work } from '../work.ts';
import { runTenantSteps } from './tenant-steps.ts';
import { endReliefs, lockEndedReliefs } from './end-reliefs.ts';
import { resnapshotChangedLoans } from './resnapshot-changed-loans.ts';
import { planClose, planRun } from './plan-close.ts';

/** The next day's run, where the closing goes on, and the chunks that have work on the morning after the day. */
type Ended = { next: close.Run | null; morning_chunks: readonly number[] };

/**
 * Ends a day whose chunks are all done: what is told of the day as a whole is written and the business
 * date moves on, in one transaction. Null where chunks are still at work, the morning after the day
 * included: nobody who pays is kept waiting for that.
 */
export async function finishDay(work: Work, runId: string): Promise<Ended | null> {
  if (!(await close.lockIfComplete(work.tx, runId))) return null;
  const run = await close.findRun(work.tx, runId);
  if (run === null) return null;
  if (run.status === 'finished')
    return { next: await planClose(work, run.through_date), morning_chunks: [] };
  await resnapshotChangedLoans(work, run);
  const ended = await lockEndedReliefs(work, run.cob_date);
  await close.finishRun(work.tx, runId);
  await tenants.advanceBusinessDate(work.tx, run.cob_date);
  forgetBusinessDate(work.tenant_id);
  // The tenant's row is held since its date moved, so that they stay as they are.
  const settings = await settingsOf(work.tx);
  const today = addDays(run.cob_date, 1);
  // Before lines are billed whose cycle ended with the day.
  const has_ended_reliefs = await endReliefs({ ...work, today }, ended);
  await runTenantSteps(work, run.cob_date, settings);
  const unbilled_month = today.endsWith('-01') ? addMonths(today, -1) : null;
  const morning_chunks =
    has_ended_reliefs || unbilled_month !== null
      ? await billing.planMorning(work.tx, runId, { unbilled_month, has_ended_reliefs })
      : [];
  // The job that is done with the last of these chunks comes here again, and goes on.
  const isLast = run.through_date < today || morning_chunks.length > 0;
  const next = isLast ? null : await planRun({ ...work, today }, run.through_date);
  return { next, morning_chunks };
}
