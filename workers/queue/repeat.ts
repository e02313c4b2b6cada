import type { Log } from '../../jobs/monitoring/log.ts';

export type Repetition = { stop(): Promise<void> };

const LONGEST_PAUSE_MS = 5_000;
const WARN_EVERY_MS = 30_000;

/**
 * Repeats a step until stopped. The step returns the pause before its next run, in milliseconds. If the
 * step throws, it is repeated with growing pauses, because most errors pass, such as a restart of Postgres.
 * `stop` waits for a running step.
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

/** Waits for the given time or until the signal is aborted. Never throws. */
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
