import { parseCronItems, type ParsedCronItem } from 'graphile-worker';
import type { AnyJob } from '../../jobs/queued.ts';

/** When a job starts by itself. The times are UTC; jobs take the business date from the tenant. */
export type CronLine = {
  task: string;
  /** Minute, hour, day, month, weekday. */
  at: string;
  /** How far back ticks that an outage swallowed are made up for. */
  fillHours: number;
  reason: string;
};

export const SCHEDULE: readonly CronLine[] = [
  {
    task: 'start-close-of-business',
    at: '* * * * *',
    // It compares each tenant's local date with its business date, and so makes up by itself for
    // any outage, day by day.
    fillHours: 0,
    reason:
      'Every tenant has its own midnight. The close brings accrual, ageing, statements, portfolio ' +
      'snapshots and the watch over lapsing liens of the day.',
  },
  {
    task: 'clean-up',
    at: '17 * * * *',
    // A later run cleans what an earlier one missed.
    fillHours: 0,
    reason:
      'Ended sessions, old idempotency keys and throttle rows are deleted in small portions, away ' +
      'from the full hour when everybody else starts something.',
  },
];

/** The lines whose job is not listed: such a line would enqueue what nobody runs. */
export const unknownTasks = (lines: readonly CronLine[], jobs: readonly AnyJob[]): string[] =>
  lines.map(({ task }) => task).filter((task) => !jobs.some(({ name }) => name === task));

/** The lines of a pool's own jobs. Several processes may keep the clock; each tick counts once. */
export function clockOf(lines: readonly CronLine[], jobs: readonly AnyJob[]): ParsedCronItem[] {
  const own = lines.flatMap((line) => {
    const job = jobs.find(({ name }) => name === line.task);
    return job ? [{ ...line, attempts: job.attempts }] : [];
  });
  return parseCronItems(
    own.map(({ task, at, fillHours, attempts }) => ({
      task,
      match: at,
      identifier: task,
      options: {
        backfillPeriod: fillHours * 3_600_000,
        maxAttempts: attempts,
        // One that still waits is enough.
        jobKey: `clock:${task}`,
        jobKeyMode: 'preserve_run_at',
      },
    })),
  );
}
