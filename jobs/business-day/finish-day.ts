import * as billing from '../../sql/business-day/billing.ts';
import * as close from '../../sql/business-day/closes.ts';
import { supposeNoDay } from '../../sql/database/within.ts';
import * as tenants from '../../sql/tenants.ts';
import { addDays, addMonths } from '../dates.ts';
import { settingsOf } from '../users/settings.ts';
import type { Work } from '../work.ts';
import { endOfDay, startOfDay } from './business-day.ts';

/** How far the closing is to go on, if it is, and which chunks are to be billed for the month that ended. */
type Ended = { goes_on_to: string | null; to_bill: readonly number[] };

/**
 * Ends a day whose chunks are all done: what is told of the day as a whole is written and the business
 * date moves on, in one transaction. Null where chunks are still at work, billing those of a day that has ended
 * included: nobody who pays is kept waiting for that.
 */
export async function finishDay(work: Work, runId: string): Promise<Ended | null> {
  if ((await close.chunksLeft(work.tx, runId)) > 0) return null;
  await close.alone(work.tx);
  const run = await close.run(work.tx, runId);
  if (run === null) return null;
  if (run.status === 'finished') return { goes_on_to: run.through_date, to_bill: [] };
  await close.finish(work.tx, runId);
  await tenants.advance(work.tx, run.cob_date);
  supposeNoDay(work.tenant_id);
  // The tenant's row is held since its date moved, so that they stay as they are.
  const settings = await settingsOf(work.tx);
  await endOfDay(work, run.cob_date, settings);
  const next = addDays(run.cob_date, 1);
  await startOfDay({ ...work, today: next }, settings);
  const hasEndedMonth = next.endsWith('-01');
  const to_bill = hasEndedMonth ? await billing.billMonth(work.tx, runId, addMonths(next, -1)) : [];
  return { goes_on_to: run.through_date < next ? null : run.through_date, to_bill };
}
