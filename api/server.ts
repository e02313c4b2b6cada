import { createServer } from 'node:http';
import path from 'node:path';
import { localFiles } from '../jobs/documents/local-files.ts';
import { useFiles } from '../jobs/documents/store.ts';
import { closeFuture } from '../jobs/business-day/plan-close.ts';
import { openLog } from '../jobs/log.ts';
import { openNetworks } from '../jobs/webhooks/networks.ts';
import { readSecret, useSecret } from '../jobs/webhooks/secrets.ts';
import { openPool } from '../sql/db.ts';
import { assertTenancyHolds } from '../sql/readiness.ts';
import { createApp, listenerOf } from './app.ts';
import { readConfiguration } from './configuration.ts';
import { LIMITS } from './limits.ts';
import { routes } from './routes.ts';
import { openSecurityLog } from './security.ts';

const configuration = readConfiguration(process.env);
const log = openLog(configuration.LOG_LEVEL, { service: 'api' });

/** What nobody caught would be printed by Node with everything that is in it. */
function crash(error: unknown) {
  log.fatal({ err: error }, 'the API ends');
  process.exit(70);
}
process.on('uncaughtException', crash);
process.on('unhandledRejection', crash);

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
const isProduction = configuration.NODE_ENV === 'production';
closeFuture(!isProduction);
openNetworks(configuration.PRIVATE_NETWORKS, { isProduction });
useFiles(localFiles({ folder: path.resolve(configuration.DATA_DIR, 'files'), secret }), secret);
const pool = await openWhenThere();
await assertTenancyHolds(pool);
const health = { isReady: true };
const securityLog = openSecurityLog(pool, log);
const app = createApp({ pool, configuration, log, routes, health, securityLog });

const server = createServer(
  {
    maxHeaderSize: 16_384,
    headersTimeout: 10_000,
    // The bodies' own limits are kept by the app, since only it knows which of them are uploads.
    requestTimeout: LIMITS.transfer_ms + 60_000,
    connectionsCheckingInterval: 5_000,
  },
  listenerOf(app),
);
server.keepAliveTimeout = 75_000;
server.maxRequestsPerSocket = 1_000;
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
  await securityLog.flush();
  await pool.end();
  process.exit(0);
}
process.on('SIGTERM', () => void stop());
process.on('SIGINT', () => void stop());
