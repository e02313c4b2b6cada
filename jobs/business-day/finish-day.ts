import * as close from '../../sql/business-day/closes.ts';
import * as tenants from '../../sql/tenants.ts';
import { addDays } from '../dates.ts';
import { settingsOf } from '../users/settings.ts';
import type { Work } from '../work.ts';
import { endOfDay, startOfDay } from './business-day.ts';

/**
 * Ends a day whose chunks are all done: what is told of the day as a whole is written and the business
 * date moves on, in one transaction. Answers how far the closing is to go on, or null where it is not, or
 * chunks are still at work.
 */
export async function finishDay(work: Work, runId: string): Promise<string | null> {
  if ((await close.chunksLeft(work.tx, runId)) > 0) return null;
  await close.alone(work.tx);
  const run = await close.run(work.tx, runId);
  if (run === null) return null;
  if (run.status === 'finished') return run.through_date;
  await close.finish(work.tx, runId);
  await tenants.advance(work.tx, run.cob_date);
  // The tenant's row is held since its date moved, so that they stay as they are.
  const settings = await settingsOf(work.tx);
  await endOfDay(work, run.cob_date, settings);
  const next = addDays(run.cob_date, 1);
  await startOfDay({ ...work, today: next }, settings);
  return run.through_date < next ? null : run.through_date;
}
