import pg from 'pg';
import { startClose } from '../../jobs/business-day/close-loans.job.ts';
import { addDays } from '../../jobs/dates.ts';
import type { ExternalServices } from '../../jobs/external-systems.ts';
import { allJobs } from '../../jobs/all-jobs.ts';
import { SYSTEM, createWithin } from '../../jobs/work.ts';
import type { Stage, Tenant } from './world.ts';

type QueuedJob = { id: string; task: string; payload: unknown };

/**
 * Runs the queue's jobs here, one after another and regardless of their start time, until no job with an
 * allowed name is left. The test provides the resources that workers lend to jobs.
 */
export async function runJobs(
  stage: Stage,
  outside: Partial<ExternalServices> = {},
  only?: readonly string[],
) {
  const lent = {
    ...missingServices,
    within: createWithin(stage.pool, SYSTEM),
    now: () => new Date(),
    ...outside,
  } as ExternalServices;
  for (let ran = 0; ran < 100_000; ran += 1) {
    const job = await takeNextJob(stage.owner, only);
    if (!job) return ran;
    const known = allJobs.find(({ name }) => name === job.task);
    if (!known) throw new Error(`Nobody runs ${job.task}.`);
    await known.run(known.payload.parse(job.payload) as never, lent);
    await stage.owner.query({ name: 'complete', text: COMPLETE, values: [job.id] });
  }
  throw new Error('The queue does not end.');
}

const COMPLETE = 'select graphile_worker.complete_jobs(array[$1::bigint])';

const missingServices = new Proxy(
  {},
  {
    get: (_target, name) => {
      throw new Error(`This test lends no ${String(name)} to its jobs.`);
    },
  },
);

async function takeNextJob(
  owner: pg.Pool,
  only: readonly string[] | undefined,
): Promise<QueuedJob | undefined> {
  const found = await owner.query<QueuedJob>({
    name: 'next',
    text: `
      select job.id, task.identifier as task, job.payload
      from graphile_worker._private_jobs as job
      join graphile_worker._private_tasks as task on task.id = job.task_id
      where $1::text[] is null or task.identifier = any($1)
      order by job.run_at, job.id limit 1`,
    values: [only ?? null],
  });
  return found.rows[0];
}

/** Closes every day up to and including `through`. The business date is then the day after. */
export async function closeThrough(
  stage: Stage,
  tenant: Pick<Tenant, 'within'>,
  through: string,
  outside: Partial<ExternalServices> = {},
) {
  await tenant.within((work) => startClose(work, through));
  await runJobs(stage, outside, ['close-loans']);
}

/** Closes every day before `today`, so that `today` becomes the business date. */
export const travelTo = (stage: Stage, tenant: Pick<Tenant, 'within'>, today: string) =>
  closeThrough(stage, tenant, addDays(today, -1));
