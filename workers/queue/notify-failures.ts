import type { DatabasePool } from 'slonik';
import { ZodError } from 'zod';
import type { Log } from '../../jobs/log.ts';
import { allJobs, type AnyJob } from '../../jobs/all-jobs.ts';
import type { Within } from '../../jobs/work.ts';
import {
  markFailureHandled,
  findUnhandledFailures,
  type UnhandledFailure,
} from '../../sql/queue/workers.ts';
import { startRepeating, type Repetition } from './repeat.ts';

const LOOK_MS = 5_000;
const BATCH = 100;

/**
 * Tells the records that wait for jobs when these have failed for good, so that nobody waits for ever:
 * a document, a message, a tape, a delivery. Every worker tells for all pools, since the one that
 * failed may have nobody left. Told twice it is the same.
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
        await tell(failure, within, jobs);
      } catch (error) {
        log.error({ failure: failure.id, reason: (error as Error).message }, 'could not tell');
        // Which record waits for a payload that the job does not take, nobody can know.
        if (!(error instanceof ZodError)) continue;
      }
      await markFailureHandled(owner, failure.id);
    }
    return LOOK_MS;
  });
}

async function tell(
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
