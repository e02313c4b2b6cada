import * as morningWork from '../../sql/business-day/morning-work.ts';
import * as runs from '../../sql/business-day/close-runs.ts';
import { forgetBusinessDate } from '../../sql/database/within.ts';
import * as tenants from '../../sql/tenants.ts';
import { addDays, addMonths } from '../dates.ts';
import { settingsOf } from '../users/settings/settings.ts';
import type { Work } from '../work.ts';
import { runTenantSteps } from './tenant-steps.ts';
import { endReliefs, lockEndedReliefs } from './end-reliefs.ts';
import { resnapshotChangedLoans } from './resnapshot-changed-loans.ts';
import { planClose, planRun } from './plan-close.ts';

/**
 * The next day's run, if the close continues, and the chunks that have work on the morning after the day.
 */
type FinishedDay = { next: runs.Run | null; morning_chunks: readonly number[] };

/**
 * Ends a day whose chunks are all done. Does the tenant's own steps and moves the business date in one
 * transaction. Returns null while chunks are still running. Work of the morning after, such as monthly
 * billing, follows later, so payments do not wait for it.
 */
export async function finishDay(work: Work, runId: string): Promise<FinishedDay | null> {
  if (!(await runs.lockCloseIfDone(work.tx, runId))) return null;
  const run = await runs.findRun(work.tx, runId);
  if (run === null) return null;
  if (run.status === 'finished')
    return { next: await planClose(work, run.through_date), morning_chunks: [] };
  await resnapshotChangedLoans(work, run);
  const ended = await lockEndedReliefs(work, run.cob_date);
  await runs.finishRun(work.tx, runId);
  await tenants.advanceBusinessDate(work.tx, run.cob_date);
  forgetBusinessDate(work.tenant_id);
  // The tenant's row has been locked since its date moved, so its settings cannot change.
  const settings = await settingsOf(work.tx);
  const today = addDays(run.cob_date, 1);
  // Must precede the billing of lines whose cycle ended with the day.
  const has_ended_reliefs = await endReliefs({ ...work, today }, ended);
  await runTenantSteps(work, run.cob_date, settings);
  const unbilled_month = today.endsWith('-01') ? addMonths(today, -1) : null;
  const morning_chunks =
    has_ended_reliefs || unbilled_month !== null
      ? await morningWork.planMorning(work.tx, runId, { unbilled_month, has_ended_reliefs })
      : [];
  // If there are morning chunks, the last of them calls this function again and plans the next day.
  const isLast = run.through_date < today || morning_chunks.length > 0;
  const next = isLast ? null : await planRun({ ...work, today }, run.through_date);
  return { next, morning_chunks };
}
