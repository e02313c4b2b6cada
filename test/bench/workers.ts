import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { startClose } from '../../jobs/business-day/close-loans.job.ts';
import { allJobs } from '../../jobs/all-jobs.ts';
import { superviseProcess } from '../../workers/processes/children.ts';
import type { BenchWorld } from './world.ts';

/** The number of processes in the targets, one per core. */
export const PROCESSES = 2;
const STOP_WITHIN_MS = 40_000;
const LOOK_MS = 5;

export type Workers = {
  /** Resolves when the condition holds. Rejects if a process ends first. */
  until(isSo: () => Promise<boolean>): Promise<void>;
  stop(): Promise<void>;
};

export type AccrualWorkers = Workers & {
  /**
   * Resolves when this many more chunks are accrued. The processes report it, because polling would slow
   * the database.
   */
  untilAccrued(chunks: number): Promise<void>;
};

/** Processes of the pool that closes days, as they run in production. */
export async function startWorkers({ url, folder, admin }: BenchWorld): Promise<Workers> {
  // Keeps the scheduler from closing days by wall-clock time.
  await admin.query(
    `select app.pause_work(null, 'start-close-of-business', null, 'bench', 'The clock on the wall.')`,
  );
  const crashed = Promise.withResolvers<never>();
  crashed.promise.catch(() => {});
  const children = Array.from({ length: PROCESSES }, () =>
    superviseProcess({
      name: 'ledger',
      file: 'worker.ts',
      arguments: ['ledger'],
      env: { ...process.env, DATABASE_URL: url, DATA_DIR: folder, LOG_LEVEL: 'error' },
      onCrash: ({ code }) => crashed.reject(new Error(`A worker ended (${code}).`)),
    }),
  );
  const until = (isSo: () => Promise<boolean>) => Promise.race([pollUntil(isSo), crashed.promise]);
  await until(async () => {
    const { rows } = await admin.query('select from app.worker_pools');
    return rows.length >= PROCESSES;
  });
  const clock = 'start-close-of-business';
  const names = allJobs.filter(({ pool, name }) => pool === 'ledger' && name !== clock);
  const isIdle = async () => {
    const left = 'select from graphile_worker.jobs where task_identifier = any($1) limit 1';
    return (await admin.query(left, [names.map(({ name }) => name)])).rows.length === 0;
  };
  return {
    until,
    stop: async () => {
      // Finishes the jobs that the end of a day enqueues. Otherwise they would be cut off and stay locked
      // by dead workers.
      await until(isIdle);
      await Promise.all(children.map((child) => child.stop(STOP_WITHIN_MS)));
    },
  };
}

/** Processes that run only the accrual step of the close, with the fetch of the pool that closes days. */
export async function startAccrualWorkers({ url }: BenchWorld): Promise<AccrualWorkers> {
  const crashed = Promise.withResolvers<never>();
  crashed.promise.catch(() => {});
  const children = Array.from({ length: PROCESSES }, () =>
    fork(new URL('accrual-worker.ts', import.meta.url), {
      env: { ...process.env, DATABASE_URL: url },
    }),
  );
  const fail = (code: number | null) => crashed.reject(new Error(`A worker ended (${code}).`));
  for (const child of children) child.once('exit', fail);
  const until = (isSo: () => Promise<boolean>) => Promise.race([pollUntil(isSo), crashed.promise]);
  await Promise.race([
    Promise.all(children.map((child) => once(child, 'message'))),
    crashed.promise,
  ]);
  const accrued = async (chunks: number) => {
    const all = Promise.withResolvers<void>();
    let left = chunks;
    const count = () => (left -= 1) === 0 && all.resolve();
    for (const child of children) child.on('message', count);
    await all.promise;
    for (const child of children) child.off('message', count);
  };
  return {
    until,
    untilAccrued: (chunks) => Promise.race([accrued(chunks), crashed.promise]),
    stop: async () => {
      const ended = children.map((child) => once(child, 'exit'));
      for (const child of children) child.off('exit', fail).send('stop');
      await Promise.all(ended);
    },
  };
}

async function pollUntil(isSo: () => Promise<boolean>) {
  while (!(await isSo())) await pause(LOOK_MS);
}

/** Closes the day. Returns the seconds it took. */
export async function closeDay(world: BenchWorld, workers: Workers, day: string): Promise<number> {
  const { within, tenant_id } = world;
  const started = performance.now();
  await within(tenant_id, (work) => startClose(work, day));
  await waitForClose(world, workers, day);
  return (performance.now() - started) / 1000;
}

export const waitForClose = ({ within, tenant_id }: BenchWorld, workers: Workers, day: string) =>
  workers.until(() => within(tenant_id, async ({ today }) => today > day));
