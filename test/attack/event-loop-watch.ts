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
const REPORTED_ABOVE_MS = 100;

const histogram = monitorEventLoopDelay({ resolution: TICK_MS });
histogram.enable();

const inFlight = new Map<IncomingMessage, string>();
let finishedSinceTick: string[] = [];
type RequestStart = { request: IncomingMessage; response: ServerResponse };
channel('http.server.request.start').subscribe((message) => {
  const { request, response } = message as RequestStart;
  inFlight.set(request, String(request.headers['x-shot'] ?? `${request.method} ${request.url}`));
  response.once('close', () => {
    finishedSinceTick.push(inFlight.get(request) ?? '');
    inFlight.delete(request);
  });
});

let worstSpike: Spike = { late: 0, own: 0, during: [] };
let lastTickAt = performance.now();
let lastCpuUsage = process.threadCpuUsage();
setInterval(() => {
  const now = performance.now();
  const { user, system } = process.threadCpuUsage(lastCpuUsage);
  const late = now - lastTickAt - TICK_MS;
  const own = Math.min(late, (user + system) / 1_000);
  const spike = { late, own, during: [...finishedSinceTick, ...inFlight.values()] };
  if (own > REPORTED_ABOVE_MS) process.send?.({ spike });
  if (own > worstSpike.own) worstSpike = spike;
  finishedSinceTick = [];
  lastTickAt = now;
  lastCpuUsage = process.threadCpuUsage();
}, TICK_MS).unref();

process.on('message', (asked) => {
  if (asked !== 'report') return;
  const told: LoopReport = {
    max: histogram.max / 1e6,
    p99: histogram.percentile(99) / 1e6,
    own: worstSpike.own,
    during: worstSpike.during,
    polluted: Object.keys(Object.prototype),
    megabytes: process.memoryUsage.rss() / 1e6,
  };
  worstSpike = { late: 0, own: 0, during: [] };
  histogram.reset();
  process.send?.({ told });
});
process.channel?.unref();
