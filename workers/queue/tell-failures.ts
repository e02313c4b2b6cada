import type { DatabasePool } from 'slonik';
import { ZodError } from 'zod';
import type { Log } from '../../jobs/log.ts';
import { queued, type AnyJob } from '../../jobs/queued.ts';
import type { Within } from '../../jobs/work.ts';
import { told, untold, type Untold } from '../../sql/queue/workers.ts';
import { repeatedly, type Repetition } from './repeatedly.ts';

const LOOK_MS = 5_000;
const BATCH = 100;

/**
 * Tells the records that wait for jobs when these have failed for good, so that nobody waits for ever:
 * a document, a message, a tape, a delivery. Every worker tells for all pools, since the one that
 * failed may have nobody left. Told twice it is the same.
 */
export function tellFailures(
  owner: DatabasePool,
  within: Within,
  log: Log,
  jobs: readonly AnyJob[] = queued,
): Repetition {
  return repeatedly(log, 'telling of failures', async () => {
    for (const failure of await untold(owner, BATCH)) {
      try {
        await tell(failure, within, jobs);
      } catch (error) {
        log.error({ failure: failure.id, reason: (error as Error).message }, 'could not tell');
        // Which record waits for a payload that the job does not take, nobody can know.
        if (!(error instanceof ZodError)) continue;
      }
      await told(owner, failure.id);
    }
    return LOOK_MS;
  });
}

async function tell(
  { id, task, payload, attempts, is_canceled }: Untold,
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
