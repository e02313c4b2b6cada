import { createServer } from 'node:http';
import path from 'node:path';
import pino from 'pino';
import { localFiles } from '../jobs/documents/local-files.ts';
import { useFiles } from '../jobs/documents/store.ts';
import { closeFuture } from '../jobs/loans/close/plan-close.ts';
import { readSecret, useSecret } from '../jobs/webhooks/secrets.ts';
import { CannotStart, endPlainly } from '../sql/cannot-start.ts';
import { openPool } from '../sql/db.ts';
import { assertTenancyHolds } from '../sql/readiness.ts';
import { createApp, listenerOf } from './app.ts';
import { readConfiguration } from './configuration.ts';
import { routes } from './routes.ts';

endPlainly();
const configuration = readConfiguration(process.env);
const log = pino({
  level: configuration.LOG_LEVEL,
  redact: ['*.password', '*.secret', '*.cookie', 'req.headers', 'err.values', 'err.query'],
  base: { service: 'api' },
});

/** The database may be a minute behind us at boot: until it answers, we are not ready. */
async function openWhenThere() {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await openPool(configuration.DATABASE_URL, { size: configuration.DATABASE_POOL });
    } catch (error) {
      if (attempt >= 120) throw error;
      if (attempt === 1) log.warn({ err: error }, 'waiting for the database');
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }
}

const secret = readSecret(configuration);
useSecret(secret);
closeFuture(configuration.NODE_ENV !== 'production');
useFiles(localFiles({ folder: path.resolve(configuration.DATA_DIR, 'files'), secret }), secret);
const pool = await openWhenThere();
await assertTenancyHolds(pool);
const health = { isReady: true };
const app = createApp({ pool, configuration, log, routes, health });

const server = createServer(
  {
    maxHeaderSize: 16_384,
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    connectionsCheckingInterval: 5_000,
  },
  listenerOf(app),
);
server.keepAliveTimeout = 75_000;
server.maxRequestsPerSocket = 1_000;
server.once('error', ({ message }) => {
  throw new CannotStart(`The API cannot listen (PORT, HOST): ${message}.`);
});
server.listen(configuration.PORT, configuration.HOST, () => {
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : configuration.PORT;
  log.info({ port }, 'listening');
  // The process that started this one waits for the word.
  process.send?.({ listening: port });
});

/** Says that it wants no more, lets what runs finish, and goes. */
async function stop() {
  if (!health.isReady) return;
  health.isReady = false;
  server.close();
  server.closeIdleConnections();
  const hurry = setTimeout(() => server.closeAllConnections(), 15_000);
  await new Promise((resolve) => server.once('close', resolve));
  clearTimeout(hurry);
  await pool.end();
  process.exit(0);
}
process.on('SIGTERM', () => void stop());
process.on('SIGINT', () => void stop());
