import { Worker } from 'node:worker_threads';

const CHECK_INTERVAL_MS = 1_000;

/**
 * Kills the process if its event loop is blocked for too long. A job in an endless loop blocks everything,
 * including its own deadline. Each kill uses one of the job's attempts, so the job finally fails instead of
 * causing endless restarts.
 */
export function startWatchdog(stalledMs: number): { stop(): Promise<void> } {
  const beat = new BigInt64Array(new SharedArrayBuffer(8));
  const store = () => Atomics.store(beat, 0, process.hrtime.bigint());
  store();
  const beating = setInterval(store, CHECK_INTERVAL_MS / 2);
  beating.unref();
  const watcher = new Worker(new URL('watchdog-thread.ts', import.meta.url), {
    workerData: { beat: beat.buffer, stalledMs, lookMs: CHECK_INTERVAL_MS },
  });
  watcher.unref();
  return {
    stop: async () => {
      clearInterval(beating);
      await watcher.terminate();
    },
  };
}
