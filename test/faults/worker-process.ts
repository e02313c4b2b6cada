import { openLog } from '../../jobs/monitoring/log.ts';
import { SYSTEM, createWithin } from '../../jobs/work.ts';
import { runProcess } from '../../workers/processes/run-process.ts';
import { startWatchdog } from '../../workers/processes/watchdog.ts';
import type { PoolSettings } from '../../workers/queue/pools.ts';
import { openPoolWithRetry, startWorker } from '../../workers/queue/worker.ts';
import { faultJobs } from './jobs.ts';
import { nothingOutside } from './nothing-outside.ts';

/** An ordinary worker process with the jobs of the fault tests. */
const url = process.env['DATABASE_URL'] ?? '';
const settings = JSON.parse(process.env['POOL_SETTINGS'] ?? '') as PoolSettings;
const stopAfterMs = Number(process.env['STOP_AFTER_MS'] ?? 25_000);
const log = openLog(process.env['LOG_LEVEL'] ?? 'info', { pool: 'ledger' });

startWatchdog(Number(process.env['STALLED_MS'] ?? 60_000));
await runProcess(
  log,
  async ({ giveUp, onFatal }) => {
    const pool = await openPoolWithRetry(url, { size: 8 }, { log, giveUp });
    const outside = { ...nothingOutside, within: createWithin(pool, SYSTEM) };
    const given = { name: 'ledger', url, jobs: faultJobs, clock: [], settings, outside, log };
    return startWorker({ ...given, onFatal }, giveUp);
  },
  { stopAfterMs },
);
