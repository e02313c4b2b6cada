import { createServer } from 'node:http';
import { collectDefaultMetrics, Counter, Histogram, register } from 'prom-client';
import type { Log } from '../../jobs/log.ts';

collectDefaultMetrics();

export const jobSeconds = new Histogram({
  name: 'job_seconds',
  help: 'How long jobs ran.',
  labelNames: ['pool', 'task', 'outcome'],
  buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60, 300],
});

export const jobsFailedForGood = new Counter({
  name: 'jobs_failed_for_good_total',
  help: 'Jobs that will not be tried again.',
  labelNames: ['pool', 'task'],
});

/** /healthz says that the event loop turns; /metrics what it did. Neither names a tenant. */
export function serveHealth(port: number, host: string, log: Log): { close(): void } {
  const server = createServer((request, response) => {
    if (request.url === '/healthz') {
      response.setHeader('content-type', 'application/json').end('{"status":"ok"}');
    } else if (request.url === '/metrics') {
      register.metrics().then(
        (text) => response.setHeader('content-type', register.contentType).end(text),
        () => response.writeHead(500).end(),
      );
    } else {
      response.writeHead(404).end();
    }
  });
  server.on('error', (error) => log.error({ err: error }, 'no metrics port'));
  server.listen(port, host);
  server.unref();
  return { close: () => server.close() };
}
