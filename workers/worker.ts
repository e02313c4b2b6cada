import path from 'node:path';
import { openFiles } from '../jobs/files/open-files.ts';
import { followDatabaseClock } from '../jobs/clock.ts';
import { POOLS, type Pool } from '../jobs/job.ts';
import { openLog } from '../jobs/monitoring/log.ts';
import { measureConnections, serveMetrics } from '../jobs/monitoring/metrics.ts';
import { parseNetworks } from '../jobs/networks/networks.ts';
import { SCHEDULE } from '../jobs/operations/schedule.ts';
import { isWorkerName, poolOfWorker } from '../jobs/pools.ts';
import { allJobs } from '../jobs/all-jobs.ts';
import { assertKeysPresent } from '../jobs/sealing/reseal.ts';
import { deriveKeys, readSecret } from '../jobs/sealing/secrets.ts';
import { openTraces } from '../jobs/monitoring/traces.ts';
import { exitOnUncaughtError } from '../sql/database/startup-error.ts';
import { assertPrimary, assertTenantIsolation } from '../sql/database/readiness.ts';
import { readWorkerConfiguration } from './processes/configuration.ts';
import { runProcess } from './processes/run-process.ts';
import { measureCloses, measureQueue } from './processes/queue-metrics.ts';
import { startWatchdog } from './processes/watchdog.ts';
import { openPoolOutside } from './queue/pool-outside.ts';
import { POOL_SETTINGS } from './queue/pools.ts';
import { startEventRelay } from './queue/relay.ts';
import { openPoolWithRetry, startWorker } from './queue/worker.ts';
import { startSchedule, unknownTasks } from './queue/cron-schedule.ts';

/**
 * `npm run worker -- POOL` runs one process of a pool, or with POOL:NAME of a sub-pool. You can run any
 * number of processes per pool.
 */
const STALLED_MS = 60_000;

exitOnUncaughtError();
const name = process.argv[2] ?? '';
const ownPool = poolOfWorker(name) as Pool;
if (!isWorkerName(name)) {
  console.error(
    `Which pool? One of ${POOLS.join(', ')}: npm run worker -- ledger\n` +
      'Or a sub-pool of one, in small letters: npm run worker -- documents:letters',
  );
  process.exit(2);
}
const configuration = readWorkerConfiguration(process.env, ownPool);
const { DATABASE_URL: url, METRICS_PORT, WORKER_CONCURRENCY } = configuration;
const isProduction = configuration.NODE_ENV === 'production';
const log = openLog(configuration.LOG_LEVEL, { pool: name });
const { OTEL_EXPORTER_OTLP_ENDPOINT: collector } = configuration;
const traces = collector === undefined ? null : await openTraces(ownPool, collector, log);

const unknown = unknownTasks(SCHEDULE, allJobs);
if (unknown.length > 0) throw new Error(`The schedule names unknown jobs: ${unknown.join(', ')}.`);

await runProcess(log, async ({ giveUp, onFatal }) => {
  startWatchdog(STALLED_MS);
  if (METRICS_PORT !== undefined) serveMetrics(METRICS_PORT, configuration.METRICS_HOST, log);
  const { statementTimeoutMs } = POOL_SETTINGS[ownPool];
  const size = configuration.DATABASE_POOL;
  const patience = statementTimeoutMs === undefined ? {} : { statementTimeoutMs };
  const pool = await openPoolWithRetry(url, { size, ...patience }, { log, giveUp });
  await assertPrimary(pool);
  await assertTenantIsolation(pool, configuration.NODE_ENV);
  const clock = await followDatabaseClock(pool, { log, environment: configuration.NODE_ENV });
  measureConnections(pool);
  const folder = path.resolve(configuration.DATA_DIR, 'files');
  const secret = readSecret(configuration);
  const installation = {
    files: await openFiles(configuration.STORAGE_URL, { folder, secret }),
    scans_uploads: configuration.CLAMD_URL !== undefined,
    link_secret: secret,
    keys: deriveKeys(secret),
    networks: parseNetworks(configuration.PRIVATE_NETWORKS, { isProduction }),
    may_close_future: !isProduction,
    local_port: isProduction ? null : configuration.LOCAL_PORT,
  };
  const lent = await openPoolOutside(ownPool, configuration, { pool, installation, log, clock });
  const jobs = allJobs.filter((job) => job.pool === ownPool);
  const settings = POOL_SETTINGS[ownPool];
  const concurrency = WORKER_CONCURRENCY ?? settings.concurrency;
  const worker = await startWorker(
    {
      name,
      url,
      jobs,
      log,
      onFatal,
      check: () =>
        assertKeysPresent(pool, { secret, environment: configuration.NODE_ENV }, (reason) =>
          log.warn({ reason }, 'the keys of SECRET'),
        ),
      outside: lent.outside,
      settings: { ...settings, concurrency },
      background: (owner) => {
        measureQueue(
          owner,
          jobs.map((job) => job.name),
        );
        if (ownPool === 'ledger') measureCloses(owner);
        return [
          startSchedule(owner, log, { lines: SCHEDULE, jobs }),
          ...(ownPool === 'outbound' ? [startEventRelay(owner, log)] : []),
        ];
      },
    },
    giveUp,
  );
  const stop = async () => {
    await worker.stop();
    clock.stop();
    await lent.close();
    await pool.end();
    await traces?.close();
  };
  return { ...worker, stop };
});
