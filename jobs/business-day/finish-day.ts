import * as billing from '../../sql/business-day/billing.ts';
import * as close from '../../sql/business-day/closes.ts';
import { supposeNoDay } from '../../sql/database/within.ts';
import * as tenants from '../../sql/tenants.ts';
import { addDays, addMonths } from '../dates.ts';
import { settingsOf } from '../users/settings.ts';
import type { Work } from '../work.ts';
import { turnOfDay } from './business-day.ts';
import { endReliefs, lockEndedReliefs } from './end-reliefs.ts';
import { lookAgain } from './look-again.ts';
import { planClose, planDay } from './plan-close.ts';

/** The next day's run, where the closing goes on, and which chunks are to be billed for the month that ended. */
type Ended = { next: close.Run | null; to_bill: readonly number[] };

/**
 * Ends a day whose chunks are all done: what is told of the day as a whole is written and the business
 * date moves on, in one transaction. Null where chunks are still at work, billing those of a day that has ended
 * included: nobody who pays is kept waiting for that.
 */
export async function finishDay(work: Work, runId: string): Promise<Ended | null> {
  if (!(await close.aloneOnceDone(work.tx, runId))) return null;
  const run = await close.run(work.tx, runId);
  if (run === null) return null;
  if (run.status === 'finished')
    return { next: await planClose(work, run.through_date), to_bill: [] };
  await lookAgain(work, run);
  const ended = await lockEndedReliefs(work, run.cob_date);
  await close.finish(work.tx, runId);
  await tenants.advance(work.tx, run.cob_date);
  supposeNoDay(work.tenant_id);
  // The tenant's row is held since its date moved, so that they stay as they are.
  const settings = await settingsOf(work.tx);
  await turnOfDay(work, run.cob_date, settings);
  const today = addDays(run.cob_date, 1);
  await endReliefs({ ...work, today }, ended);
  const hasEndedMonth = today.endsWith('-01');
  const to_bill = hasEndedMonth
    ? await billing.billMonth(work.tx, runId, addMonths(today, -1))
    : [];
  // Whoever bills the last of these chunks comes here again, and goes on.
  const isLast = run.through_date < today || to_bill.length > 0;
  return { next: isLast ? null : await planDay({ ...work, today }, run.through_date), to_bill };
}
