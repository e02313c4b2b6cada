import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';

/** Runs in a thread of its own, because the thread that it watches may never run again. */
type Watched = { beat: SharedArrayBuffer; stalledMs: number; lookMs: number };
const { beat, stalledMs, lookMs } = workerData as Watched;
const heart = new BigInt64Array(beat);
let lookedAt = process.hrtime.bigint();

setInterval(() => {
  const now = process.hrtime.bigint();
  // A machine that slept stopped both threads: that is nobody's fault.
  const hasSlept = Number(now - lookedAt) / 1e6 > 5 * lookMs;
  lookedAt = now;
  if (hasSlept || Number(now - Atomics.load(heart, 0)) / 1e6 < stalledMs) return;
  writeSync(2, `The event loop stood still for ${stalledMs / 1000} s: the process is ended.\n`);
  process.kill(process.pid, 'SIGKILL');
}, lookMs);
