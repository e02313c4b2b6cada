import { setTimeout as pause } from 'node:timers/promises';
import { queueStatus } from '../../sql/queue/queue.ts';
import * as operations from '../../sql/queue/worker-operations.ts';
import { countUndelivered } from '../../sql/operations/servicing-totals.ts';
import { startProgressBar } from '../processes/progress-bar.ts';
import { retryWhileUnavailable } from './retry.ts';
import type { Platform } from './platform.ts';
import type { DemoTenant } from './demo-tenant.ts';

const LOOK_MS = 250;
/** If no job finishes for this long, something is wrong and waiting longer does not help. */
const STUCK_MS = 120_000;

/** Waits until no job, event or delivery is left. */
export async function waitUntilIdle({ owner, within }: Platform, { tenant_id }: DemoTenant) {
  let most = Math.max(1, await left());
  const bar = startProgressBar('Finishing', most);
  const isStuck = detectStandstill(STUCK_MS);
  for (let quiet = 0; quiet < 2;) {
    const waiting = await left();
    quiet = waiting === 0 ? quiet + 1 : 0;
    most = Math.max(most, waiting);
    if (isStuck(waiting, Date.now()))
      throw new Error(`${waiting} jobs are waiting and none finishes.`);
    bar.at(most - waiting, `${waiting} jobs and deliveries left`, most);
    await pause(LOOK_MS);
  }
  bar.end('all jobs and deliveries');

  /** Does not count paused kinds of jobs, or jobs that exhausted their attempts. */
  async function left(): Promise<number> {
    const paused = (await retryWhileUnavailable(() => operations.listPauses(owner))).map(
      ({ task }) => task,
    );
    const tasks = await retryWhileUnavailable(() => queueStatus(owner));
    const jobs = tasks
      .filter(({ task }) => !paused.includes(task))
      .reduce(
        (sum, task) => sum + Number(task.ready) + Number(task.scheduled) + Number(task.running),
        0,
      );
    return Math.max(jobs, await within(tenant_id, ({ tx }) => countUndelivered(tx)));
  }
}

/**
 * Returns a function that takes the number of waiting jobs. It returns true if the number has not fallen
 * for `limitMs`. A finished job makes the number fall briefly, even if new jobs make it grow overall.
 */
export function detectStandstill(limitMs: number) {
  let last = Infinity;
  let movedAt = 0;
  return (waiting: number, now: number): boolean => {
    if (waiting < last) movedAt = now;
    last = waiting;
    return now - movedAt > limitMs;
  };
}
