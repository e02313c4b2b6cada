import { setTimeout as pause } from 'node:timers/promises';
import { status } from '../../sql/queue.ts';
import { totals } from '../../sql/summary.ts';
import * as operations from '../../sql/worker-operations.ts';
import { patiently } from './patience.ts';
import type { Platform } from './platform.ts';
import { startBar } from '../progress.ts';
import type { Stage } from './stage.ts';

const LOOK_MS = 250;
/** Nothing has moved for so long: something is wrong, and waiting longer will not mend it. */
const STUCK_MS = 120_000;

/** Waits until nothing is left to do: no job of any kind, no event and no delivery. */
export async function waitForQuiet({ owner, within }: Platform, { tenant_id }: Stage) {
  let most = Math.max(1, await left());
  const bar = startBar('Finishing', most);
  let least = most;
  let moved = Date.now();
  for (let quiet = 0; quiet < 2;) {
    const waiting = await left();
    quiet = waiting === 0 ? quiet + 1 : 0;
    most = Math.max(most, waiting);
    if (waiting < least) [least, moved] = [waiting, Date.now()];
    if (Date.now() - moved > STUCK_MS) throw new Error(`${waiting} jobs wait and none gets done.`);
    bar.at(most - waiting, `${waiting} jobs and deliveries left`, most);
    await pause(LOOK_MS);
  }
  bar.end('all jobs and deliveries');

  /** What is paused on purpose does not count, and what has failed for good is told elsewhere. */
  async function left(): Promise<number> {
    const paused = (await patiently(() => operations.pauses(owner))).map(({ name }) => name);
    const tasks = await patiently(() => status(owner));
    const jobs = tasks
      .filter(({ task }) => !paused.includes(task))
      .reduce(
        (sum, one) => sum + Number(one.ready) + Number(one.scheduled) + Number(one.running),
        0,
      );
    const { webhooks_waiting } = await within(tenant_id, ({ tx }) => totals(tx));
    return Math.max(jobs, webhooks_waiting);
  }
}
