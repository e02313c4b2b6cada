import { openSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { DatabasePool } from 'slonik';
import { POOLS } from '../../jobs/job.ts';
import { openLog } from '../../jobs/log.ts';
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
  /** As the application: row-level security holds. Waits for a database that is away. */
  within: Within;
  owner: DatabasePool;
  auditor: DatabasePool;
  /** Ends the workers well: only then is on record what all their jobs have taken. */
  stopWorkers(): Promise<void>;
  stop(): Promise<void>;
};

export type PlatformSettings = {
  /** Holds the database, the files, the outbox and the log. */
  folder: string;
  /** What the outbound worker trusts beside the usual authorities. */
  certificate: string;
  onNews: (sentence: string) => void;
  /** What the processes get, but for what is the demo's own to say. */
  environment: Record<string, string | undefined>;
  /** Its holder's claim on the folder, which ends with the platform. */
  claim: Claim;
  /** Aborted, it ends a start that is under way after the step at hand. */
  signal: AbortSignal;
};

const STOP_WITHIN_MS = 20_000;

/**
 * A whole platform of its own: an empty database, the API and three worker processes, all of which
 * end with this process, however it ends.
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
  const stopWorkers = () => stopAll(children.filter(({ name }) => name !== 'api'));
  const stop = async () => {
    await stopAll(children);
    await Promise.all(pools.map((pool) => pool.end()));
    const pid = await postmasterPid(url).catch(() => null);
    rmSync(databaseFile(folder), { force: true });
    await kept.stop();
    await endOthers(pid);
  };
  try {
    signal.throwIfAborted();
    await recreateDatabase(url);
    await migrate(url);
    signal.throwIfAborted();
    writeFileSync(databaseFile(folder), `${url}\n`, { mode: 0o600 });
    const app = await openPool(url, { size: 4 });
    const owner = await openPool(url, { role: 'servicing_owner', size: 2 });
    const auditor = await openPool(url, { role: 'servicing_auditor', size: 1, ...PATIENT });
    pools.push(app, owner, auditor);
    await pauseTheClock(owner);
    const port = await startProcesses(url, settings, children);
    const within: Within = (tenant, steps, mode) =>
      retryWhileUnavailable(() => createWithin(app, SYSTEM)(tenant, steps, mode));
    return { origin: `http://127.0.0.1:${port}`, within, owner, auditor, stopWorkers, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const stopAll = async (children: readonly Child[]) => {
  await Promise.all(children.map((child) => child.stop(STOP_WITHIN_MS)));
};

/** The books of a year are read at once. */
const PATIENT = { statementTimeoutMs: 120_000 };

/** The demo's days are its own: the clock on the wall must not close any. */
const pauseTheClock = (owner: DatabasePool) =>
  operations.pauseWork(
    owner,
    { task: 'start-close-of-business' },
    { who: 'demo', why: 'The demo closes its days itself.' },
  );

/** Whoever started it last, the database ends with the demo. */
async function endOthers(pid: number | null) {
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

/** The API and the workers, each started again should it end; answers the API's port. */
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
    // Should it ever crash, it comes back to the port that everybody knows.
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
  // What the demo leaves is looked at after `npm start`, on its port.
  LOCAL_PORT: given['LOCAL_PORT'] || given['PORT'] || '3000',
  // Mail and texts stay in the outbox, and the secret in the folder, whatever the shell has set.
  SMTP_URL: '',
  TWILIO_ACCOUNT_SID: '',
  TWILIO_AUTH_TOKEN: '',
  METRICS_PORT: '',
  SECRET: '',
  NODE_EXTRA_CA_CERTS: authority,
});
