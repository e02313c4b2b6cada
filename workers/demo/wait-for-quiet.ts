import { setTimeout as pause } from 'node:timers/promises';
import { queueStatus } from '../../sql/queue/queue.ts';
import * as operations from '../../sql/queue/worker-operations.ts';
import { countUndelivered } from '../../sql/summary.ts';
import { startProgressBar } from '../processes/progress-bar.ts';
import { retryWhileUnavailable } from './retry.ts';
import type { Platform } from './platform.ts';
import type { DemoTenant } from './demo-tenant.ts';

const LOOK_MS = 250;
/** Nothing has moved for so long: something is wrong, and waiting longer will not mend it. */
const STUCK_MS = 120_000;

/** Waits until nothing is left to do: no job of any kind, no event and no delivery. */
export async function waitUntilIdle({ owner, within }: Platform, { tenant_id }: DemoTenant) {
  let most = Math.max(1, await left());
  const bar = startProgressBar('Finishing', most);
  const isStuck = detectStandstill(STUCK_MS);
  for (let quiet = 0; quiet < 2;) {
    const waiting = await left();
    quiet = waiting === 0 ? quiet + 1 : 0;
    most = Math.max(most, waiting);
    if (isStuck(waiting, Date.now())) throw new Error(`${waiting} jobs wait and none gets done.`);
    bar.at(most - waiting, `${waiting} jobs and deliveries left`, most);
    await pause(LOOK_MS);
  }
  bar.end('all jobs and deliveries');

  /** What is paused on purpose does not count, and what has failed for good is told elsewhere. */
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
 * Told what is waiting from time to time, says whether nothing has been done for `limitMs`. Whatever is
 * done makes the number fall for a moment, though new work may make it grow all the while.
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
