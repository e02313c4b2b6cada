import type { DatabasePool } from 'slonik';
import { ZodError } from 'zod';
import type { Log } from '../../jobs/monitoring/log.ts';
import { allJobs, type AnyJob } from '../../jobs/all-jobs.ts';
import type { Within } from '../../jobs/work.ts';
import {
  markFailureHandled,
  findUnhandledFailures,
  type UnhandledFailure,
} from '../../sql/queue/workers.ts';
import { startRepeating, type Repetition } from './repeat.ts';

const POLL_MS = 5_000;
const BATCH = 100;

/**
 * Notifies the records that depend on jobs that failed for good, so that no document, message, tape or
 * delivery waits forever. Every worker does this for all pools, because the failed job's pool may have no
 * workers. Notifying a record twice is harmless.
 */
export function startFailureNotices(
  owner: DatabasePool,
  within: Within,
  log: Log,
  jobs: readonly AnyJob[] = allJobs,
): Repetition {
  return startRepeating(log, 'telling of failures', async () => {
    for (const failure of await findUnhandledFailures(owner, BATCH)) {
      try {
        await notifyJob(failure, within, jobs);
      } catch (error) {
        log.error({ failure: failure.id, reason: (error as Error).message }, 'could not tell');
        // An invalid payload does not tell which record depends on it.
        if (!(error instanceof ZodError)) continue;
      }
      await markFailureHandled(owner, failure.id);
    }
    return POLL_MS;
  });
}

async function notifyJob(
  { id, task, payload, attempts, is_canceled }: UnhandledFailure,
  within: Within,
  jobs: readonly AnyJob[],
) {
  const job = jobs.find(({ name }) => name === task);
  if (!job?.failed) return;
  const parsed = job.payload.parse(payload) as { tenant_id: string };
  const { failed } = job;
  const what = is_canceled ? 'was canceled' : `failed ${attempts} times`;
  const reason =
    `Our work on it ${what}, and is not tried again by itself. ` +
    `Ask an operator to look at the failed job ${id} and to retry it.`;
  await within(parsed.tenant_id, (work) => failed(work, parsed as never, reason));
}
