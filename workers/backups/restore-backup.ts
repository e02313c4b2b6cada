import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { StartupError } from '../../sql/database/startup-error.ts';
import { waitForRecovery } from '../../sql/database/base-backup.ts';
import { openPool } from '../../sql/database/db.ts';
import {
  startEmbeddedPostgres,
  UNFINISHED,
  type EmbeddedPostgres,
} from '../../sql/database/embedded.ts';
import type { ChangeReason } from '../../sql/queue/worker-operations.ts';
import { copyVerified, assertPathInside } from './copy.ts';
import { holdPools } from './hold-pools.ts';
import { makePrivateFolder } from './private-folder.ts';
import { readManifest, UnusableBackup, type Manifest } from './manifest.ts';

/** Replaying a large log takes long. */
const RECOVERY_MS = 6 * 3_600_000;
/** Inside the data folder, where the server can read it under any user. */
const LOG = 'restored-log';

type RestoreRequest = {
  from: string;
  into: string;
  at: string | undefined;
  by: ChangeReason;
  say: (sentence: string) => void;
};
export type RestoredBackup = { postgres: EmbeddedPostgres; manifest: Manifest; at: string };

/**
 * Restores a backup into an empty folder, as of a moment or of the backup's end. The server then runs at an
 * unannounced address, and every pool is paused before the address becomes known.
 */
export async function restoreBackup({
  from,
  into,
  at,
  by,
  say,
}: RestoreRequest): Promise<RestoredBackup> {
  const manifest = readManifest(from);
  if (!manifest) throw new UnusableBackup(`${from} contains no complete backup.`);
  const moment = at === undefined ? undefined : parseMomentWithin(manifest, at);
  assertEmpty(into);
  makePrivateFolder(into);
  await writeFile(path.join(into, UNFINISHED), '');
  say('Copying the documents and checking their hashes');
  await copyVerified(path.join(from, 'files'), path.join(into, 'files'), manifest.files);
  say('Copying the database and replaying its log');
  let conf = '';
  const fill = async (data: string) => {
    for (const name of manifest.folders)
      mkdirSync(path.join(data, assertPathInside(name)), { recursive: true, mode: 0o700 });
    await copyVerified(path.join(from, 'base'), data, manifest.base);
    await copyVerified(path.join(from, 'log'), path.join(data, LOG), manifest.log);
    conf = path.join(data, 'postgresql.auto.conf');
    const settings = [
      `restore_command = 'cp "${LOG}/%f" "%p"'`,
      `recovery_target_action = 'promote'`,
    ];
    // The server parses this before it has loaded time zone names, so the zone is a number.
    const target = moment?.replace('T', ' ').replace('Z', '+00');
    if (target) settings.push(`recovery_target_time = '${target}'`);
    await appendFile(conf, `${settings.map((line) => `${line} ${RECOVERY_MARKER}`).join('\n')}\n`);
    await writeFile(path.join(data, 'recovery.signal'), '');
  };
  const postgres = await startEmbeddedPostgres(into, { fill, answersWithinMs: RECOVERY_MS });
  try {
    await waitForRecovery(postgres.url, RECOVERY_MS);
    const kept = (await readFile(conf, 'utf8'))
      .split('\n')
      .filter((line) => !line.endsWith(RECOVERY_MARKER));
    await writeFile(conf, kept.join('\n'));
    rmSync(path.join(path.dirname(conf), LOG), { recursive: true });
    const owner = await openPool(postgres.url, { role: 'servicing_worker', size: 1 });
    await holdPools(owner, by).finally(() => owner.end());
    rmSync(path.join(into, UNFINISHED));
    return { postgres, manifest, at: moment ?? manifest.until };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}

const RECOVERY_MARKER = '# while the backup is restored';

function parseMomentWithin({ from, until }: Manifest, at: string): string {
  const moment = new Date(at);
  if (Number.isNaN(moment.valueOf()) || !/(Z|[+-]\d\d:?\d\d)$/.test(at))
    throw new StartupError('--at takes a time with a time zone, such as 2026-01-31T09:30:00Z.');
  if (moment < new Date(from) || moment > new Date(until))
    throw new StartupError(`--at must be between ${from} and ${until}, which this backup covers.`);
  return moment.toISOString();
}

function assertEmpty(into: string) {
  if (existsSync(into) && readdirSync(into).length > 0)
    throw new StartupError(`${into} is not empty. Choose an empty or new folder.`);
}
