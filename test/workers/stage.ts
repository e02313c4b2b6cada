import type { DatabasePool } from 'slonik';
import { z } from 'zod';
import { job } from '../../jobs/job.ts';
import { openLog } from '../../jobs/monitoring/log.ts';
import type { AnyJob } from '../../jobs/all-jobs.ts';
import { SYSTEM, createWithin } from '../../jobs/work.ts';
import { openPool, sql } from '../../sql/database/db.ts';
import { startWorker, type WorkerSettings } from '../../workers/queue/worker.ts';
import { nothingOutside } from '../faults/nothing-outside.ts';
import { cloneDatabase } from '../setup/database.ts';

const SILENT = openLog('silent', {});

/** A test job's payload: the tenant, and a number that identifies the run. */
const Numbered = z.object({ tenant_id: z.uuid(), number: z.int() });
type Numbered = z.output<typeof Numbered>;

export const numbered = (name: string, run: (payload: Numbered) => Promise<void>, attempts = 3) =>
  job<Numbered>({ name, pool: 'ledger', payload: Numbered, attempts, run });

/** A database with a worker in the test's own process. */
export async function newWorkerStage() {
  const database = await cloneDatabase();
  const owner = await openPool(database.url, { role: 'servicing_owner', size: 3 });
  const app = await openPool(database.url, { size: 3 });
  const tenant = async (slug: string) =>
    (
      await owner.one(sql.typeAlias('id')`
        select app.create_tenant(${slug}, 'Workers', '2026-01-01', '{}') as id
      `)
    ).id;
  const tenantId = await tenant('workers');
  const stops: (() => Promise<void>)[] = [];
  return {
    url: database.url,
    owner,
    tenantId,
    /** Another tenant's id. */
    tenant,
    log: SILENT,
    work: (
      jobs: readonly AnyJob[],
      given: Partial<Pick<WorkerSettings, 'log' | 'name' | 'outside'>> = {},
    ) => startIn({ url: database.url, app, log: SILENT, name: 'ledger', ...given }, jobs, stops),
    enqueue: (task: string, payload: unknown, attempts = 3) =>
      owner.query(sql.typeAlias('void')`
        select app.add_job(${task}, ${JSON.stringify(payload)}::json, null, ${attempts}::int, null)
      `),
    /** Returns one number from the database. */
    count: async (query: ReturnType<typeof sql.fragment>) => {
      const { count } = await owner.one(
        sql.type(z.object({ count: z.coerce.number() }))`select count(*) from (${query}) as found`,
      );
      return count;
    },
    end: async () => {
      for (const stop of stops) await stop();
      await Promise.all([owner.end(), app.end()]);
      await database.drop();
    },
  };
}

type Starting = Pick<WorkerSettings, 'url' | 'log' | 'name'> &
  Partial<Pick<WorkerSettings, 'outside'>> & { app: DatabasePool };

async function startIn(
  { app, outside = nothingOutside, ...given }: Starting,
  jobs: readonly AnyJob[],
  stops: (() => Promise<void>)[],
) {
  const worker = await startWorker(
    {
      ...given,
      jobs,
      settings: { concurrency: 2, deadlineMs: 5_000 },
      outside: { ...outside, within: createWithin(app, SYSTEM) },
      onFatal: (reason) => {
        throw reason;
      },
    },
    new AbortController().signal,
  );
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= worker.stop());
  stops.push(stop);
  return { stop };
}

/** Waits until the answer equals the wanted one. Returns the last answer for the failure message. */
export async function eventually<Answer>(
  ask: () => Answer | Promise<Answer>,
  wanted: Answer,
  withinMs = 10_000,
): Promise<Answer> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer === wanted || Date.now() > deadline) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
