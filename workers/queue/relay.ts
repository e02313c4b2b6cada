import type { DatabasePool } from 'slonik';
import type { Log } from '../../jobs/log.ts';
import { relayEvents } from '../../sql/queue/workers.ts';
import { startRepeating, type Repetition } from './repeat.ts';

const BATCH = 250;
/** Milliseconds between two looks. */
const [PAUSE_MIN, PAUSE_MAX] = [25, 500] as const;
/** Of the time, a look that is followed by another takes a sixth at most. */
const PAUSES_A_LOOK = 5;
/** Whoever has heard nothing for a second looks again after a twentieth of it. */
const LOOKS_A_SILENCE = 20;

/** How many events a look has taken, and how many milliseconds it took; of what was silence before it. */
type Look = { taken: number; took: number; silence: number };

/**
 * How long to wait for more, in milliseconds: after a full batch not at all, while things happen a moment,
 * and the longer nothing has happened the longer, up to half a second.
 */
export function relayPauseMs({ taken, took, silence }: Look): number {
  if (taken === BATCH) return 0;
  const wanted = Math.max(PAUSE_MIN, took * PAUSES_A_LOOK, silence / LOOKS_A_SILENCE);
  return Math.min(wanted, PAUSE_MAX);
}

/**
 * Turns what happened into deliveries, in batches. No notification is listened for, because sending one in
 * each payment would make commits wait for each other.
 */
export function startEventRelay(owner: DatabasePool, log: Log): Repetition {
  let heardAt = performance.now();
  return startRepeating(log, 'relay', async () => {
    const began = performance.now();
    const taken = await relayEvents(owner, BATCH);
    const now = performance.now();
    if (taken > 0) {
      heardAt = now;
      log.debug({ events: taken }, 'relayed');
    }
    return relayPauseMs({ taken, took: now - began, silence: now - heardAt });
  });
}
