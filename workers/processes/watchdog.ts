import { Worker } from 'node:worker_threads';

const LOOK_MS = 1_000;

/**
 * Ends the process when its event loop has stood still for too long: a job that computes without
 * end keeps everything else from running, its own deadline included. The kill spends one of the
 * job's attempts, so that it ends as failed for good and not as an endless series of restarts.
 */
export function startWatchdog(stalledMs: number): { stop(): Promise<void> } {
  const beat = new BigInt64Array(new SharedArrayBuffer(8));
  const store = () => Atomics.store(beat, 0, process.hrtime.bigint());
  store();
  const beating = setInterval(store, LOOK_MS / 2);
  beating.unref();
  const watcher = new Worker(new URL('watchdog-thread.ts', import.meta.url), {
    workerData: { beat: beat.buffer, stalledMs, lookMs: LOOK_MS },
  });
  watcher.unref();
  return {
    stop: async () => {
      clearInterval(beating);
      await watcher.terminate();
    },
  };
}
