import type { DatabasePool } from 'slonik';
import type { Log } from '../../jobs/log.ts';
import { relayEvents } from '../../sql/queue/workers.ts';
import { repeatedly, type Repetition } from './repeatedly.ts';

const BATCH = 1_000;
const BUSY_MS = 250;
const IDLE_MS = 1_000;

/**
 * Turns what happened into deliveries, in batches and at most a second late. A full batch is
 * followed by the next at once; without events the pauses grow to a second. No notification is
 * listened for, because sending one in each payment would make commits wait for each other.
 */
export function relay(owner: DatabasePool, log: Log): Repetition {
  let pause = BUSY_MS;
  return repeatedly(log, 'relay', async () => {
    const taken = await relayEvents(owner, BATCH);
    if (taken > 0) log.debug({ events: taken }, 'relayed');
    if (taken === BATCH) return 0;
    pause = taken > 0 ? BUSY_MS : Math.min(pause * 2, IDLE_MS);
    return pause;
  });
}
