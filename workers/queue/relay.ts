import type { DatabasePool } from 'slonik';
import type { Log } from '../../jobs/monitoring/log.ts';
import { createWebhookDeliveries } from '../../sql/queue/workers.ts';
import { startRepeating, type Repetition } from './repeat.ts';

const BATCH = 250;
/** The limits of the pause between two polls, in milliseconds. */
const [PAUSE_MIN, PAUSE_MAX] = [25, 500] as const;
/** A pause lasts at least five times as long as the poll, so polling takes at most a sixth of the time. */
const PAUSES_PER_POLL = 5;
/** A pause lasts at least a twentieth of the time since the last event. */
const POLLS_PER_SILENCE = 20;

/**
 * The number of events taken, the poll's duration, and the time since the last event, both in milliseconds.
 */
type PollResult = { taken: number; took: number; silence: number };

/**
 * The pause before the next poll, in milliseconds. No pause after a full batch, a short one while events
 * arrive, and growing pauses of up to half a second when none arrive.
 */
export function relayPauseMs({ taken, took, silence }: PollResult): number {
  if (taken === BATCH) return 0;
  const wanted = Math.max(PAUSE_MIN, took * PAUSES_PER_POLL, silence / POLLS_PER_SILENCE);
  return Math.min(wanted, PAUSE_MAX);
}

/**
 * Turns events into deliveries, in batches. It polls instead of listening, because a notification in every
 * payment's transaction would make commits wait for each other.
 */
export function startEventRelay(owner: DatabasePool, log: Log): Repetition {
  let heardAt = performance.now();
  return startRepeating(log, 'relay', async () => {
    const began = performance.now();
    const taken = await createWebhookDeliveries(owner, BATCH);
    const now = performance.now();
    if (taken > 0) {
      heardAt = now;
      log.debug({ events: taken }, 'relayed');
    }
    return relayPauseMs({ taken, took: now - began, silence: now - heardAt });
  });
}
