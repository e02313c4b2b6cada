import { closeLoans } from '../../jobs/business-day/close-loans.job.ts';
import { planClose } from '../../jobs/business-day/plan-close.ts';
import { enqueueAll } from '../../jobs/job.ts';
import type { Run } from '../../sql/business-day/close-runs.ts';
import { accrueOnly } from './accrual-worker.ts';
import type { BenchWorld } from './world.ts';
import { startAccrualWorkers, startWorkers, waitForClose, type AccrualWorkers } from './workers.ts';

export type AccrualTimes = { ours: number; again: number };

/**
 * Posts the day's interest twice through the queue, by the given (warm) processes or new ones that do
 * nothing else. Then runs `between` and closes the rest of the day as in production.
 */
export async function accrueDay(
  world: BenchWorld,
  day: string,
  { accruing, between }: { accruing?: AccrualWorkers; between?: () => Promise<void> } = {},
): Promise<AccrualTimes> {
  const run = await world.within(world.tenant_id, (work) => planClose(work, day));
  if (!run) throw new Error('Nothing to close.');
  const busy = accruing ?? (await startAccrualWorkers(world));
  const times = await measureAccrual(world, busy, run).finally(() => accruing ?? busy.stop());
  await between?.();
  await enqueueForRun(world, closeLoans, run);
  const workers = await startWorkers(world);
  await waitForClose(world, workers, day).finally(() => workers.stop());
  return times;
}

async function measureAccrual(
  world: BenchWorld,
  workers: AccrualWorkers,
  run: Run,
): Promise<AccrualTimes> {
  const { admin } = world;
  const left = `select from graphile_worker.jobs where task_identifier = '${accrueOnly.name}' limit 1`;
  const all = async () => {
    await admin.query('checkpoint');
    const started = performance.now();
    const done = workers.untilAccrued(run.chunks_total);
    await enqueueForRun(world, accrueOnly, run);
    await done;
    await workers.until(async () => (await admin.query(left)).rows.length === 0);
    return (performance.now() - started) / 1000;
  };
  const times = { ours: await all(), again: await all() };
  const open = 'select from cob_chunks where run_id = $1 and not is_accrued';
  if ((await admin.query(open, [run.id])).rows.length > 0)
    throw new Error('Not all chunks were accrued.');
  return times;
}

const enqueueForRun = ({ within, tenant_id }: BenchWorld, job: typeof closeLoans, run: Run) =>
  within(tenant_id, ({ tx }) =>
    enqueueAll(
      tx,
      job,
      Array.from({ length: run.chunks_total }, (_, index) => ({
        tenant_id,
        run_id: run.id,
        chunk: index + 1,
      })),
    ),
  );
