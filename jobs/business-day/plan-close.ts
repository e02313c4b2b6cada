import * as runs from '../../sql/business-day/close-runs.ts';
import { databaseTime } from '../../sql/database/clock.ts';
import * as tenants from '../../sql/tenants.ts';
import { addDays, localDate, localTime } from '../dates.ts';
import { Invalid } from '../errors.ts';
import { settingsOf } from '../users/settings/settings.ts';
import type { Work } from '../work.ts';
import { updatePortfolioMembership } from './tenant-steps.ts';

/** Loans per chunk. One statement handles all loans of a chunk. */
const CHUNK_SIZE = 10_000;

/**
 * Plans the close of the tenant's business date and, one by one, of the days after it up to `through`.
 * While a close or the monthly billing is running, it only extends that run. Returns the run whose chunks
 * must be enqueued, or null if nothing new was planned.
 */
export async function planClose(work: Work, through: string): Promise<runs.Run | null> {
  await runs.lockClose(work.tx);
  const { day, current_run_id, morning_run_id } = await runs.findRunsInProgress(work.tx);
  if (through < day) return null;
  const running_id = morning_run_id ?? current_run_id;
  if (running_id !== null) {
    await runs.extendRun(work.tx, running_id, through);
    return null;
  }
  return planRun({ ...work, today: day }, through);
}

/** Plans the business date. The caller must ensure that no other run exists for it. */
export async function planRun(work: Work, through: string): Promise<runs.Run> {
  await updatePortfolioMembership(work);
  return runs.createRun(work.tx, work.today, through, CHUNK_SIZE);
}

/**
 * The last day that is over in the tenant's time zone. A day ends at the tenant's cut-off time on the next
 * morning, for example at 00:00 or 02:30. Events until then belong to the day.
 */
export async function lastEndedDay({ tx }: Work, now: Date) {
  const { time_zone, is_sandbox } = await tenants.currentTenant(tx);
  const { eod_cutoff_time: cutoff } = await settingsOf(tx);
  const date = localDate(now, time_zone);
  const day = addDays(date, localTime(now, time_zone) < cutoff ? -2 : -1);
  const cutoffHint = cutoff === '00:00' ? '' : `, and a day ends at ${cutoff} on the next day`;
  return { day, is_sandbox, saying: `in ${time_zone} it is ${date}${cutoffHint}.` };
}

/** Throws `Invalid` for days that are already closed or may not be closed yet. */
export async function assertClosable(work: Work, through: string, at?: Date) {
  const { today, installation } = work;
  const refusal = (reason: string) => new Invalid({ through_date: reason });
  if (through < today) throw refusal(`This day is already closed. The business date is ${today}.`);
  const ended = await lastEndedDay(work, at ?? (await databaseTime(work.tx)));
  const mayCloseFuture = installation.may_close_future || ended.is_sandbox;
  if (!mayCloseFuture && through > ended.day)
    throw refusal(`This day is not over yet: ${ended.saying}`);
  const horizon = `${Number(today.slice(0, 4)) + 40}${today.slice(4)}`;
  if (through > horizon) throw refusal('Must be within 40 years.');
}
