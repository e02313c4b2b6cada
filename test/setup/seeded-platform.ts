import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import pg from 'pg';
import { createApp, createHttpServer } from '../../api/http/app.ts';
import { routes } from '../../api/routes.ts';
import { allJobs } from '../../jobs/all-jobs.ts';
import { openFiles } from '../../jobs/files/open-files.ts';
import type { Installation } from '../../jobs/installation.ts';
import { POOLS, type Pool } from '../../jobs/job.ts';
import { openLog } from '../../jobs/monitoring/log.ts';
import { parseNetworks } from '../../jobs/networks/networks.ts';
import { deriveKeys } from '../../jobs/sealing/secrets.ts';
import { openPool } from '../../sql/database/db.ts';
import { readWorkerConfiguration } from '../../workers/processes/configuration.ts';
import { localReceiverVariables } from '../../workers/processes/local-receivers.ts';
import { openPoolOutside } from '../../workers/queue/pool-outside.ts';
import { POOL_SETTINGS } from '../../workers/queue/pools.ts';
import { startEventRelay } from '../../workers/queue/relay.ts';
import { startWorker } from '../../workers/queue/worker.ts';
import { cloneDatabase } from './database.ts';

/** A Tuesday in the middle of a month, in the future, so that no worker closes a day by itself. */
const SEED_DATE = '2030-01-15';
export const SEED_SECRET = 'a secret of at least thirty-two characters';
const SILENT = openLog('silent', {});
const AUTHORITIES = getCACertificates('default');

/** A database with the data of `npm run seed`, in which the tenant `demo` begins on this date. */
export async function seedDatabase(today = SEED_DATE, words: readonly string[] = []) {
  const database = await cloneDatabase();
  const owner = new pg.Client(database.url);
  await owner.connect();
  await owner.query('select app.create_tenant($1, $2, $3, $4, true)', [
    'demo',
    'Demo Lending',
    today,
    ['localhost', '127.0.0.1'],
  ]);
  await owner.end();
  const DATA_DIR = mkdtempSync(path.join(tmpdir(), 'seed-'));
  const child = spawn(process.execPath, ['workers/seed.ts', ...words], {
    env: {
      PATH: process.env['PATH'] ?? '',
      DATABASE_URL: database.url,
      SECRET: SEED_SECRET,
      DATA_DIR,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  rmSync(DATA_DIR, { recursive: true });
  if (code !== 0) throw new Error(`The seed ended with ${code}.`);
  return database;
}

/**
 * Runs what `npm start` runs, on a copy of a seeded database: the API, and a worker of each pool. All of
 * it runs in this process, so that each guide can have its own.
 */
export async function startPlatform(template: { url: string }, env: Record<string, string> = {}) {
  const database = await cloneDatabase(template.url);
  const { url } = database;
  const folder = mkdtempSync(path.join(tmpdir(), 'platform-'));
  const forReceivers = await localReceiverVariables(folder, {});
  const variables = {
    DATABASE_URL: url,
    DATA_DIR: folder,
    SECRET: SEED_SECRET,
    ...forReceivers,
    ...env,
  };
  // The workers run in this process, which was started without NODE_EXTRA_CA_CERTS. The certificates of all
  // platforms have the same name, so only the newest is trusted.
  const certificate = readFileSync(forReceivers.NODE_EXTRA_CA_CERTS, 'utf8');
  setDefaultCACertificates([...AUTHORITIES, certificate]);
  const app = await openPool(url, { size: 8, isShared: true });
  const installation: Installation = {
    files: await openFiles(undefined, { folder: path.join(folder, 'files'), secret: SEED_SECRET }),
    link_secret: SEED_SECRET,
    keys: deriveKeys(SEED_SECRET),
    networks: parseNetworks(readWorkerConfiguration(variables).PRIVATE_NETWORKS),
    scans_uploads: false,
    may_close_future: true,
    local_port: null,
  };
  const server = createHttpServer(
    createApp({
      pool: app,
      configuration: { NODE_ENV: 'development', TRUSTED_PROXIES: [] },
      log: SILENT,
      routes,
      health: { isReady: true },
      installation,
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stops = await Promise.all(POOLS.map((pool) => startPool(pool, variables, installation)));
  return {
    port,
    variables,
    stop: async () => {
      await Promise.all(stops.map((stop) => stop()));
      server.closeAllConnections();
      server.close();
      // Other test files in this process have receivers whose certificates have the same name.
      setDefaultCACertificates(AUTHORITIES);
      await app.end();
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startPool(
  name: Pool,
  variables: { DATABASE_URL: string },
  installation: Installation,
) {
  const { DATABASE_URL: url } = variables;
  const pool = await openPool(url, { size: 8 });
  const clock = { now: () => new Date(), stop: () => {} };
  const resources = { pool, installation, log: SILENT, clock };
  const lent = await openPoolOutside(name, readWorkerConfiguration(variables, name), resources);
  const jobs = allJobs.filter((job) => job.pool === name);
  const worker = await startWorker(
    {
      name,
      url,
      jobs,
      log: SILENT,
      settings: POOL_SETTINGS[name],
      outside: lent.outside,
      background: (owner) => (name === 'outbound' ? [startEventRelay(owner, SILENT)] : []),
      onFatal: (reason) => {
        throw reason;
      },
    },
    new AbortController().signal,
  );
  return async () => {
    worker.abort();
    await worker.stop();
    await lent.close();
    await pool.end();
  };
}
