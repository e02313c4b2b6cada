import { Server as NetServer } from 'node:net';
import path from 'node:path';
import { setImmediate as immediate, setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openFiles } from '../jobs/files/open-files.ts';
import { followDatabaseClock } from '../jobs/clock.ts';
import { openLog } from '../jobs/monitoring/log.ts';
import { measureConnections, serveMetrics } from '../jobs/monitoring/metrics.ts';
import { parseNetworks } from '../jobs/networks/networks.ts';
import { assertKeysPresent } from '../jobs/sealing/reseal.ts';
import { deriveKeys, readSecret } from '../jobs/sealing/secrets.ts';
import { openTraces } from '../jobs/monitoring/traces.ts';
import { StartupError, exitOnUncaughtError } from '../sql/database/startup-error.ts';
import { openPool, RoleNotGranted } from '../sql/database/db.ts';
import {
  assertPrimary,
  assertTenantIsolation,
  isSchemaCurrent,
} from '../sql/database/readiness.ts';
import { fieldsByResource } from './endpoints/field-vocabulary.ts';
import { createApp, createHttpServer } from './http/app.ts';
import { readConfiguration } from './http/configuration.ts';
import { limitConnections, CONNECTION_TIMEOUTS } from './http/connections.ts';
import { measureIntake, measureReplica } from './http/metrics.ts';
import { openIntake } from './http/receive.ts';
import { openConfiguredReplica } from './http/replica.ts';
import { openSecurityLog } from './http/security-log.ts';
import { routes } from './routes.ts';

exitOnUncaughtError();
const configuration = readConfiguration(process.env);
const log = openLog(configuration.LOG_LEVEL, { service: 'api' });
const { OTEL_EXPORTER_OTLP_ENDPOINT: collector } = configuration;
const traces = collector === undefined ? null : await openTraces('api', collector, log);

/** Node would print an uncaught error with all of its data, which may be personal. */
function crash(error: unknown) {
  log.fatal({ err: error }, 'the API ends');
  process.exit(70);
}
process.on('uncaughtException', crash);
process.on('unhandledRejection', crash);

/** The database may start up to a minute later. The process is not ready until the database answers. */
async function openDatabaseWithRetry() {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const size = configuration.DATABASE_POOL;
      return await openPool(configuration.DATABASE_URL, { size, isShared: true });
    } catch (error) {
      if (attempt >= 120 || error instanceof RoleNotGranted) throw error;
      if (attempt === 1) log.warn({ err: error }, 'waiting for the database');
      await wait(1_000);
    }
  }
}

const secret = readSecret(configuration);
const isProduction = configuration.NODE_ENV === 'production';
const installation = {
  files: await openFiles(configuration.STORAGE_URL, {
    folder: path.resolve(configuration.DATA_DIR, 'files'),
    secret,
  }),
  scans_uploads: configuration.CLAMD_URL !== undefined,
  link_secret: secret,
  keys: deriveKeys(secret),
  networks: parseNetworks(configuration.PRIVATE_NETWORKS, { isProduction }),
  may_close_future: !isProduction,
  local_port: isProduction ? null : (configuration.LOCAL_PORT ?? configuration.PORT),
};
const pool = await openDatabaseWithRetry();
await assertPrimary(pool);
await assertTenantIsolation(pool, configuration.NODE_ENV);
await followDatabaseClock(pool, { log, environment: configuration.NODE_ENV });
measureConnections(pool);
const replica = await openConfiguredReplica(configuration, pool, log);
if (replica) measureReplica(replica);
const { METRICS_PORT, METRICS_HOST } = configuration;
if (METRICS_PORT !== undefined) serveMetrics(METRICS_PORT, METRICS_HOST, log);
const health = { isReady: true, isLeaving: false };

/** Before the schema exists there are no keys to check, and the process is not ready. */
async function checkKeys(): Promise<void> {
  if (await isSchemaCurrent(pool).catch(() => false)) {
    await assertKeysPresent(pool, { secret, environment: configuration.NODE_ENV }, (reason) =>
      log.warn({ reason }, 'the keys of SECRET'),
    );
    return;
  }
  const retry = () =>
    void checkKeys().catch((error: Error) => {
      log.fatal({ reason: error.message }, 'the API ends');
      process.exit(1);
    });
  setTimeout(retry, 1_000).unref();
}
await checkKeys();
const securityLog = openSecurityLog(pool, installation, log);
const intake = openIntake();
measureIntake(intake);
const databases = { pool, ...(replica && { replica }) };
const app = createApp({
  ...databases,
  configuration,
  log,
  routes,
  health,
  installation,
  securityLog,
  intake,
});

let lastConnectionAt = 0;
const server = limitConnections(
  createHttpServer(app, CONNECTION_TIMEOUTS),
  configuration.TRUSTED_PROXIES,
);
server.on('connection', () => {
  lastConnectionAt = performance.now();
});
server.once('error', ({ message }) => {
  throw new StartupError(`The API cannot listen (PORT, HOST): ${message}.`);
});
server.listen(configuration.PORT, configuration.HOST, () => {
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : configuration.PORT;
  log.info({ port }, 'listening');
  // Notifies the parent process, which waits for this message.
  process.send?.({ listening: port });
  collectStartupGarbage();
  // Takes 0.2 seconds, which would otherwise delay all requests when one first needs it.
  setImmediate(() => fieldsByResource(routes));
});

/** Frees the memory that only start-up needed. V8 would otherwise keep it until memory runs short. */
function collectStartupGarbage() {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('globalThis.gc') as NodeJS.GCFunction | undefined;
  void collect?.({ type: 'major', execution: 'async' });
}

/** The whole shutdown takes at most 30 seconds, including the longest drain period. */
const SETTLE_MS = 1_000;
const QUIET_MS = 250;
/** Under load, Node accepts one connection per turn of its event loop. */
const QUIET_WAIT_MAX_MS = 8_000;
const LINGER_MS = 500;
const FINISH_MS = 9_000;
const END_POOL_MS = 3_000;

/** Waits until no new connection has arrived for a moment, or until the limit. */
async function waitForQuiet() {
  const limit = performance.now() + QUIET_WAIT_MAX_MS;
  const isBusy = () => performance.now() < Math.min(lastConnectionAt + QUIET_MS, limit);
  do {
    while (isBusy()) await wait(QUIET_MS / 5);
    // After a long turn of the event loop, timers fire before waiting connections are accepted.
    await immediate();
  } while (isBusy());
}

/**
 * Shuts down gracefully. /readyz and every answer announce the shutdown while the process still serves, so
 * that load balancers move away. Then the process refuses new connections, finishes running requests and
 * exits.
 */
async function stop(signal: string) {
  if (!health.isReady) return;
  log.info({ signal }, 'stopping');
  health.isReady = false;
  health.isLeaving = true;
  const drainMs = configuration.DRAIN_SECONDS * 1_000;
  const settleMs = Math.min(SETTLE_MS, drainMs / 2);
  await wait(drainMs - settleMs);
  // Clients that reconnect now keep their connections. Closing the listening socket resets connections that
  // are not accepted yet, but not accepted ones.
  health.isLeaving = false;
  await wait(settleMs);
  await waitForQuiet();
  health.isLeaving = true;
  const closed = new Promise((resolve) => server.once('close', resolve));
  // Closes only the listening socket. An idle connection may be about to send a request; its answer then
  // announces the shutdown.
  NetServer.prototype.close.call(server);
  const linger = setTimeout(() => server.closeIdleConnections(), LINGER_MS);
  const forceClose = setTimeout(() => server.closeAllConnections(), FINISH_MS);
  await closed;
  clearTimeout(linger);
  clearTimeout(forceClose);
  await securityLog.flush();
  // Does not wait for an unresponsive database.
  const ends = Promise.allSettled([replica?.end() ?? Promise.resolve(), pool.end()]);
  await Promise.race([ends, wait(END_POOL_MS)]);
  await traces?.close();
  log.info('stopped');
  process.exit(0);
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal));
