import { createServer, type Server } from 'node:http';
import { collectDefaultMetrics, Gauge, register } from 'prom-client';
import type { DatabasePool } from 'slonik';
import type { Log } from './log.ts';

collectDefaultMetrics();

/**
 * Exports the number of this process's Postgres connections by state, and the number of waiting clients.
 */
export function measureConnections(
  pool: Pick<DatabasePool, 'state'>,
  name = 'database_connections',
) {
  const gauge = new Gauge({
    name,
    help: 'Connections to Postgres by state; waiting counts requests for a connection.',
    labelNames: ['state'],
    collect: () => {
      const { acquiredConnections, idleConnections, pendingConnections, waitingClients } =
        pool.state();
      gauge.set({ state: 'busy' }, acquiredConnections);
      gauge.set({ state: 'idle' }, idleConnections);
      gauge.set({ state: 'opening' }, pendingConnections);
      gauge.set({ state: 'waiting' }, waitingClients);
    },
  });
}

/** Serves /healthz, which shows that the event loop responds, and /metrics. Neither names a tenant. */
export function serveMetrics(port: number, host: string, log: Log): Server {
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
  return server.unref();
}
