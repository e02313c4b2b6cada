import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';

/** Runs in its own thread, because the watched thread may be blocked forever. */
type Watched = { beat: SharedArrayBuffer; stalledMs: number; lookMs: number };
const { beat, stalledMs, lookMs } = workerData as Watched;
const heartbeat = new BigInt64Array(beat);
let lastCheckAt = process.hrtime.bigint();

setInterval(() => {
  const now = process.hrtime.bigint();
  // If the machine was asleep, both threads stood still, which is not a fault.
  const hasSlept = Number(now - lastCheckAt) / 1e6 > 5 * lookMs;
  lastCheckAt = now;
  if (hasSlept || Number(now - Atomics.load(heartbeat, 0)) / 1e6 < stalledMs) return;
  writeSync(2, `The event loop stood still for ${stalledMs / 1000} s: the process is ended.\n`);
  process.kill(process.pid, 'SIGKILL');
}, lookMs);
