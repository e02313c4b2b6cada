import type { Log } from '../../jobs/log.ts';

export type Repetition = { stop(): Promise<void> };

const LONGEST_PAUSE_MS = 5_000;
const WARN_EVERY_MS = 30_000;

/**
 * Does a step again and again until stopped, and waits for a step that is under way. The step says
 * how long to pause after it. A step that fails is tried again with growing pauses: whatever was the
 * matter (a Postgres that restarts, mostly), the next one may succeed.
 */
export function startRepeating(
  log: Log,
  name: string,
  step: (stopping: AbortSignal) => Promise<number>,
): Repetition {
  const stopping = new AbortController();
  const { signal } = stopping;
  const work = async () => {
    let failures = 0;
    let warnedAt = 0;
    while (!signal.aborted) {
      let pause: number;
      try {
        pause = await step(signal);
        failures = 0;
      } catch (error) {
        failures += 1;
        pause = Math.min(100 * 2 ** failures, LONGEST_PAUSE_MS);
        if (!signal.aborted && Date.now() - warnedAt > WARN_EVERY_MS) {
          warnedAt = Date.now();
          log.warn({ step: name, err: error }, 'a step failed; trying again');
        }
      }
      await abortableDelay(pause, signal);
    }
  };
  const ended = work();
  return {
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
}

/** Waits, but not longer than until the signal; never fails. */
export function abortableDelay(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done);
  });
}
