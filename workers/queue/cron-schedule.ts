import type { DatabasePool } from 'slonik';
import type { Log } from '../../jobs/monitoring/log.ts';
import { latestDueMinute, type ScheduleEntry } from '../../jobs/operations/schedule.ts';
import type { AnyJob } from '../../jobs/all-jobs.ts';
import { databaseTime } from '../../sql/database/clock.ts';
import { enqueueScheduledJob } from '../../sql/queue/cron-schedule.ts';
import { startRepeating, type Repetition } from './repeat.ts';

const POLL_MS = 2_000;

/** The schedule lines whose job does not exist. Such a line would enqueue a job that no worker can run. */
export const unknownTasks = (lines: readonly ScheduleEntry[], jobs: readonly AnyJob[]): string[] =>
  lines.map(({ task }) => task).filter((task) => !jobs.some(({ name }) => name === task));

/** Enqueues the jobs that are due at the given time. Returns their names. */
export async function enqueueDue(
  owner: DatabasePool,
  { lines, jobs, now }: { lines: readonly ScheduleEntry[]; jobs: readonly AnyJob[]; now: Date },
): Promise<string[]> {
  const enqueued: string[] = [];
  for (const line of lines) {
    const job = jobs.find(({ name }) => name === line.task);
    const minute = latestDueMinute(line, now);
    if (job && minute && (await enqueueScheduledJob(owner, job.name, minute, job.attempts)))
      enqueued.push(job.name);
  }
  return enqueued;
}

/**
 * Starts a pool's scheduled jobs by Postgres' clock. Several processes may do this: a job starts once per
 * minute, and a wrong clock of the machine has no effect.
 */
export function startSchedule(
  owner: DatabasePool,
  log: Log,
  { lines, jobs }: { lines: readonly ScheduleEntry[]; jobs: readonly AnyJob[] },
): Repetition {
  let done = '';
  return startRepeating(log, 'schedule', async () => {
    const now = await databaseTime(owner);
    const minute = now.toISOString().slice(0, 16);
    if (minute !== done) await enqueueDue(owner, { lines, jobs, now });
    done = minute;
    return POLL_MS;
  });
}
