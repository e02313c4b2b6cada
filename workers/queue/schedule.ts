import { parseCronItems, type ParsedCronItem } from 'graphile-worker';
import type { CronLine } from '../../jobs/operations/schedule.ts';
import type { AnyJob } from '../../jobs/queued.ts';

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
