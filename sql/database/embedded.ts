import { spawn, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { claimFolder, type Claim } from './claim.ts';
import { prepareLocation, type EmbeddedLocation } from './embedded-location.ts';
import { endStalePostmaster } from './stale-postmaster.ts';

/**
 * The Postgres from npm, for development, the demo and tests. Production sets DATABASE_URL and never loads
 * this file.
 */
export type EmbeddedPostgres = {
  url: string;
  port: number;
  /** Resolves when the server has ended. `immediate` skips the shutdown checkpoint, like a crash. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
  restart(): Promise<void>;
};

/** `claim`: a claim that the caller already holds. It is handed over and released when the server stops. */
type Settings = {
  throwAway?: boolean;
  port?: number;
  claim?: Claim;
  /** Fills the empty data folder with a backup instead of creating a new cluster. */
  fill?: (data: string) => Promise<void>;
  /** Maximum wait for the first answer. A server that replays WAL needs longer. */
  answersWithinMs?: number;
};

/** Durability is switched off only for data that is discarded after the run. */
const THROW_AWAY = [
  '-c',
  'fsync=off',
  '-c',
  'synchronous_commit=off',
  '-c',
  'full_page_writes=off',
];

/**
 * Starts the cluster below `folder` on a free loopback port, and creates it on first use. Claims the folder
 * first and until the server stops; throws without touching anything if another process has claimed it.
 */
export async function startEmbeddedPostgres(
  folder: string,
  {
    throwAway = false,
    port: wanted = 0,
    claim: given,
    fill,
    answersWithinMs = 30_000,
  }: Settings = {},
): Promise<EmbeddedPostgres> {
  let claim = given ?? (await claimFolder(folder));
  try {
    const place = await prepareLocation(path.resolve(folder));
    const port = wanted || (await freePort());
    if (fill) await fillWith(place, fill);
    else assertRestored(folder);
    if (!existsSync(path.join(place.data, 'PG_VERSION'))) await create(place);
    await endStalePostmaster(place.data);

    let server = await launch(place, port, { throwAway, answersWithinMs });
    const url = `postgresql://postgres@127.0.0.1:${port}/servicing`;
    await createDatabase(`postgresql://postgres@127.0.0.1:${port}/postgres`);
    return {
      url,
      port,
      stop: async (mode = 'fast') => {
        await end(server, mode);
        claim.release();
      },
      restart: async () => {
        if (!claim.isHeld()) claim = await claimFolder(folder);
        server = await launch(place, port, { throwAway, answersWithinMs });
      },
    };
  } catch (error) {
    claim.release();
    throw error;
  }
}

async function end(server: ChildProcess, mode: 'fast' | 'immediate') {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
  await ended;
}

/**
 * Marks a folder with an unfinished restore, until everything that the copy would send out is held back.
 */
export const UNFINISHED = 'restore-unfinished';

function assertRestored(folder: string) {
  if (!existsSync(path.join(folder, UNFINISHED))) return;
  throw new Error(`${folder} contains an incomplete restore. Restore into another folder.`);
}

async function fillWith({ data, as }: EmbeddedLocation, fill: (data: string) => Promise<void>) {
  if (existsSync(path.join(data, 'PG_VERSION')))
    throw new Error(`${data} already contains a database. Restore into an empty folder.`);
  await fill(data);
  if (as.uid === undefined) return;
  for (const name of ['.', ...(readdirSync(data, { recursive: true }) as string[])])
    chownSync(path.join(data, name), as.uid, as.gid ?? as.uid);
}

/** Created in a temporary folder and then renamed, so that a killed run leaves no incomplete cluster. */
async function create({ bin, data, as }: EmbeddedLocation) {
  const made = `${data}.new`;
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made, { mode: 0o700 });
  if (as.uid !== undefined) chownSync(made, as.uid, as.gid ?? as.uid);
  const flags = ['-D', made, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--no-sync'];
  const locale = ['--locale-provider=builtin', '--locale=C.UTF-8'];
  // Ctrl-C signals the whole process group; initdb has to finish.
  const child = spawn(path.join(bin, 'initdb'), [...flags, ...locale], {
    ...as,
    stdio: 'pipe',
    detached: true,
  });
  const output = collect(child);
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`initdb failed in ${data}: ${output()}`);
  rmSync(data, { recursive: true, force: true });
  renameSync(made, data);
}

type Launch = { throwAway: boolean; answersWithinMs: number };

async function launch(
  { bin, data, as }: EmbeddedLocation,
  port: number,
  { throwAway, answersWithinMs }: Launch,
) {
  const settings = [
    '-c',
    'listen_addresses=127.0.0.1',
    '-c',
    'unix_socket_directories=',
    '-c',
    'max_connections=200',
    '-c',
    'shared_buffers=256MB',
    '-c',
    'timezone=UTC',
    '-c',
    'max_wal_size=4GB',
    '-c',
    // If backups stop, the slot loses WAL instead of filling the disk.
    'max_slot_wal_keep_size=20GB',
    '-c',
    'log_min_messages=fatal',
    ...(throwAway ? THROW_AWAY : []),
  ];
  const server = spawn(path.join(bin, 'postgres'), ['-D', data, '-p', String(port), ...settings], {
    ...as,
    cwd: data,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Ctrl-C signals the whole process group; only this process decides when the server ends.
    detached: true,
  });
  const output = collect(server);
  for (let waited = 0; waited < answersWithinMs; waited += 50) {
    if (server.exitCode !== null) throw new Error(`Postgres did not start: ${output()}`);
    if (await answers(port)) return server;
    await pause(50);
  }
  server.kill('SIGQUIT');
  throw new Error(
    `Postgres did not answer on port ${port} within ${answersWithinMs / 1000} seconds: ${output()}`,
  );
}

async function answers(port: number): Promise<boolean> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

async function createDatabase(url: string) {
  const { default: pg } = await import('pg');
  const client = new pg.Client(url);
  await client.connect();
  const found = await client.query("select from pg_database where datname = 'servicing'");
  if (found.rowCount === 0) await client.query('create database servicing');
  await client.end();
}

function collect(child: ChildProcess): () => string {
  let text = '';
  const keep = (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-4000);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  return () => text;
}

/** A free port on loopback. */
async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('No free port.');
  return address.port;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
