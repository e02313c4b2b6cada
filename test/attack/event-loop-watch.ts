import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

/**
 * Preloaded into the API under attack. Measures how long its event loop is blocked, and by which requests.
 *
 * On a shared machine, a process that gets no CPU time is late through no fault of its own. Each tick
 * therefore compares its delay with the CPU time that this thread used since the previous tick. Only time
 * spent computing counts (`own`). The report also includes the plain histogram.
 */
export type LoopReport = {
  max: number;
  p99: number;
  /** The longest time the thread computed between two ticks, in ms, and the requests that were running. */
  own: number;
  during: string[];
  /** Properties that an attacker managed to add to every object (prototype pollution). */
  polluted: string[];
  megabytes: number;
};
export type Spike = { late: number; own: number; during: string[] };

const TICK_MS = 10;
const TOLD_ABOVE_MS = 100;

const histogram = monitorEventLoopDelay({ resolution: TICK_MS });
histogram.enable();

const inFlight = new Map<IncomingMessage, string>();
let since: string[] = [];
type Seen = { request: IncomingMessage; response: ServerResponse };
channel('http.server.request.start').subscribe((message) => {
  const { request, response } = message as Seen;
  inFlight.set(request, String(request.headers['x-shot'] ?? `${request.method} ${request.url}`));
  response.once('close', () => {
    since.push(inFlight.get(request) ?? '');
    inFlight.delete(request);
  });
});

let worst: Spike = { late: 0, own: 0, during: [] };
let last = performance.now();
let used = process.threadCpuUsage();
setInterval(() => {
  const now = performance.now();
  const { user, system } = process.threadCpuUsage(used);
  const late = now - last - TICK_MS;
  const own = Math.min(late, (user + system) / 1_000);
  const spike = { late, own, during: [...since, ...inFlight.values()] };
  if (own > TOLD_ABOVE_MS) process.send?.({ spike });
  if (own > worst.own) worst = spike;
  since = [];
  last = now;
  used = process.threadCpuUsage();
}, TICK_MS).unref();

process.on('message', (asked) => {
  if (asked !== 'report') return;
  const told: LoopReport = {
    max: histogram.max / 1e6,
    p99: histogram.percentile(99) / 1e6,
    own: worst.own,
    during: worst.during,
    polluted: Object.keys(Object.prototype),
    megabytes: process.memoryUsage.rss() / 1e6,
  };
  worst = { late: 0, own: 0, during: [] };
  histogram.reset();
  process.send?.({ told });
});
process.channel?.unref();
