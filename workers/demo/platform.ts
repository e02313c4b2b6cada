import { openSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { DatabasePool } from 'slonik';
import { POOLS } from '../../jobs/job.ts';
import { openLog } from '../../jobs/monitoring/log.ts';
import { DEFAULT_INSTALLATION } from '../../jobs/installation.ts';
import { deriveKeys, readSecret } from '../../jobs/sealing/secrets.ts';
import { SYSTEM, createWithin, type Within } from '../../jobs/work.ts';
import type { Claim } from '../../sql/database/claim.ts';
import { openPool } from '../../sql/database/db.ts';
import { startEmbeddedPostgres } from '../../sql/database/embedded.ts';
import { recreateDatabase } from '../../sql/database/recreate-database.ts';
import { migrate } from '../../sql/database/migrate.ts';
import { postmasterPid } from '../../sql/database/postmaster.ts';
import * as operations from '../../sql/queue/worker-operations.ts';
import {
  API_PROCESS,
  superviseProcess,
  type Child,
  type ChildSettings,
} from '../processes/children.ts';
import { databaseFile } from '../processes/configuration.ts';
import { supervisePostgres } from '../processes/supervise-postgres.ts';
import { retryWhileUnavailable } from './retry.ts';

export type Platform = {
  origin: string;
  /**
   * Works as the application's role, so row-level security applies. Retries while the database is
   * unavailable.
   */
  within: Within;
  owner: DatabasePool;
  auditor: DatabasePool;
  /** Stops the workers gracefully, so that they save the statistics of all jobs. */
  stopWorkers(): Promise<void>;
  stop(): Promise<void>;
};

export type PlatformSettings = {
  /** Holds the database, the files, the outbox and the log. */
  folder: string;
  /** A certificate that the outbound worker trusts, in addition to the usual authorities. */
  certificate: string;
  onNews: (sentence: string) => void;
  /** The processes' environment, except for the variables that the demo sets. */
  environment: Record<string, string | undefined>;
  /** The caller's claim on the folder. It ends with the platform. */
  claim: Claim;
  /** Aborting it cancels a start after the current step. */
  signal: AbortSignal;
};

const STOP_WITHIN_MS = 20_000;

/**
 * Starts a complete platform: an empty database, the API and three workers. All of them end with this
 * process, even if it is killed.
 */
export async function startPlatform(settings: PlatformSettings): Promise<Platform> {
  const { signal, claim, folder } = settings;
  signal.throwIfAborted();
  const postgres = await startEmbeddedPostgres(folder, { claim });
  const { url } = postgres;
  const kept = await supervisePostgres(postgres, openLog('silent', { service: 'demo' })).catch(
    async (error) => {
      await postgres.stop();
      throw error;
    },
  );
  const children: Child[] = [];
  const pools: DatabasePool[] = [];
  const stopWorkers = () => stopChildren(children.filter(({ name }) => name !== 'api'));
  const stop = async () => {
    await stopChildren(children);
    await Promise.all(pools.map((pool) => pool.end()));
    const pid = await postmasterPid(url).catch(() => null);
    rmSync(databaseFile(folder), { force: true });
    await kept.stop();
    await endRestartedDatabase(pid);
  };
  try {
    signal.throwIfAborted();
    await recreateDatabase(url);
    await migrate(url);
    signal.throwIfAborted();
    writeFileSync(databaseFile(folder), `${url}\n`, { mode: 0o600 });
    const app = await openPool(url, { size: 4 });
    const owner = await openPool(url, { role: 'servicing_owner', size: 2 });
    const auditor = await openPool(url, { role: 'servicing_auditor', size: 1, ...LONG_TIMEOUT });
    pools.push(app, owner, auditor);
    await pauseScheduledClose(owner);
    const port = await startProcesses(url, settings, children);
    const keys = deriveKeys(readSecret({ DATA_DIR: folder }));
    const once = createWithin(app, SYSTEM, { ...DEFAULT_INSTALLATION, keys });
    const within: Within = (tenant, steps, mode) =>
      retryWhileUnavailable(() => once(tenant, steps, mode));
    return { origin: `http://127.0.0.1:${port}`, within, owner, auditor, stopWorkers, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const stopChildren = async (children: readonly Child[]) => {
  await Promise.all(children.map((child) => child.stop(STOP_WITHIN_MS)));
};

/** One statement reads a year of ledger entries. */
const LONG_TIMEOUT = { statementTimeoutMs: 120_000 };

/** The demo closes its own days, so the scheduled close must not run. */
const pauseScheduledClose = (owner: DatabasePool) =>
  operations.pauseWork(
    owner,
    { task: 'start-close-of-business' },
    { who: 'demo', why: 'The demo closes its days itself.' },
  );

/** Stops the database even if its supervisor restarted it in the meantime. */
async function endRestartedDatabase(pid: number | null) {
  if (pid === null) return;
  for (let waited = 0; waited < 10_000; waited += 50) {
    try {
      process.kill(pid, waited === 0 ? 'SIGINT' : 0);
    } catch {
      return;
    }
    await pause(50);
  }
}

/** Starts the API and the workers, and restarts each after a crash. Returns the API's port. */
async function startProcesses(
  url: string,
  { folder, certificate, onNews, signal, environment }: PlatformSettings,
  children: Child[],
): Promise<number> {
  const authority = path.join(folder, 'receiver.pem');
  writeFileSync(authority, certificate);
  const log = path.join(folder, 'log.txt');
  const common = {
    env: environmentOf(url, folder, authority, environment),
    output: openSync(log, 'w'),
  };
  const listening = Promise.withResolvers<number>();
  let isUp = false;
  const start = (child: Omit<ChildSettings, 'env' | 'onCrash'>) => {
    const onCrash = ({ code }: { code: number | string }) => {
      if (!isUp) listening.reject(new Error(`${child.name} did not start (${code}); see ${log}`));
      else onNews(`${child.name} ended (${code}); it is started again.`);
    };
    children.push(superviseProcess({ ...child, ...common, onCrash }));
  };
  const onMessage = (message: unknown) => {
    const { listening: port } = message as { listening?: number };
    if (!port) return;
    // After a crash, the API starts again on the same port.
    common.env.PORT = String(port);
    listening.resolve(port);
  };
  signal.addEventListener('abort', () => listening.reject(signal.reason), { once: true });
  start({ ...API_PROCESS, onMessage });
  for (const pool of POOLS) start({ name: pool, file: 'worker.ts', arguments: [pool] });
  const port = await listening.promise;
  isUp = true;
  return port;
}

export const environmentOf = (
  DATABASE_URL: string,
  DATA_DIR: string,
  authority: string,
  given: Record<string, string | undefined>,
) => ({
  ...given,
  DATABASE_URL,
  DATA_DIR,
  LOG_LEVEL: 'warn',
  NODE_ENV: 'development',
  HOST: '127.0.0.1',
  PORT: '0',
  // Users look at the demo's results later with `npm start`, so links use its port.
  LOCAL_PORT: given['LOCAL_PORT'] || given['PORT'] || '3000',
  // Messages stay in the outbox and the secret in the folder, regardless of the shell's variables.
  SMTP_URL: '',
  TWILIO_ACCOUNT_SID: '',
  TWILIO_AUTH_TOKEN: '',
  METRICS_PORT: '',
  SECRET: '',
  NODE_EXTRA_CA_CERTS: authority,
});
