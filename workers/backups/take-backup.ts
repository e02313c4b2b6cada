import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { claimFolder } from '../../sql/database/claim.ts';
import { openBackupSession, type BackupSession } from '../../sql/database/base-backup.ts';
import { copyExisting, listTree } from './copy.ts';
import {
  readManifest,
  UnusableBackup,
  writeManifest,
  type Entry,
  type Manifest,
} from './manifest.ts';
import { assertBackupFolder, makePrivateFolder } from './private-folder.ts';
import { segmentsBetween } from './segments.ts';

export type BackupSettings = {
  /** The address of the embedded server, with a superuser. */
  url: string;
  /** The folder of the documents. Undefined if they are in a bucket. */
  files: string | undefined;
  secret_keys: string[];
  say: (sentence: string) => void;
};

/** Folders whose contents Postgres recreates when it starts, or that belong to the running server only. */
const EMPTY_FOLDERS = ['pg_wal', 'pg_replslot', 'pg_dynshmem', 'pg_notify', 'pg_serial']
  .concat(['pg_snapshots', 'pg_stat_tmp', 'pg_subtrans'])
  .map((name) => `${name}${path.sep}`);
const EXCLUDED_FILES = /^(postmaster\.(pid|opts)|.*pgsql_tmp.*|.*pg_internal\.init)$/;
const CONTROL_FILE = path.join('global', 'pg_control');

/**
 * Backs up the server into a folder. The first backup copies the whole data folder. Later backups copy the
 * WAL since the previous one, and the new documents.
 *
 * Documents are copied after the end of the WAL. A document is stored before its row is committed and never
 * changes, so every row in the backup finds its document. An interrupted backup is not in the manifest and
 * is repeated.
 */
export async function takeBackup(folder: string, wanted: BackupSettings): Promise<Manifest> {
  assertBackupFolder(folder);
  makePrivateFolder(folder);
  const claim = await claimFolder(folder);
  const session = await openBackupSession(wanted.url);
  try {
    const before = readManifest(folder);
    if (before) assertContinues(before, session, folder);
    const began = before ?? (await copyBase(folder, session, wanted));
    const end = await session.endSegment();
    const log = await copyLog(folder, session, { first: began.next, next: end.next });
    const files = wanted.files === undefined ? [] : await copyNewFiles(folder, wanted.files, began);
    const manifest: Manifest = {
      ...began,
      until: end.until,
      next: end.next,
      secret_keys: wanted.secret_keys,
      log: [...began.log, ...log],
      files: [...began.files, ...files],
    };
    writeManifest(folder, manifest);
    await session.keepFrom(end.lsn);
    wanted.say(`${log.length} log segments and ${files.length} new documents were copied`);
    return manifest;
  } finally {
    await session.end();
    claim.release();
  }
}

function assertContinues(before: Manifest, { server }: BackupSession, folder: string) {
  if (before.system_identifier !== server.system_identifier)
    throw new UnusableBackup(`${folder} holds a backup of another server. Choose another folder.`);
}

async function copyBase(
  folder: string,
  session: BackupSession,
  wanted: BackupSettings,
): Promise<Manifest> {
  const { data_directory: data, system_identifier } = session.server;
  if (readdirSync(path.join(data, 'pg_tblspc')).length > 0)
    throw new UnusableBackup('The server has additional tablespaces. Use pg_basebackup instead.');
  await session.keepLog();
  await session.start();
  const found = await listTree(data);
  const names = found.files.filter(
    (name) =>
      !EMPTY_FOLDERS.some((folder) => name.startsWith(folder)) && !EXCLUDED_FILES.test(name),
  );
  wanted.say(`${names.length} database files are being copied`);
  const base = path.join(folder, 'base');
  // pg_control says where recovery starts, so it must not be older than the files copied before it.
  const entries = await copyExisting(
    data,
    base,
    names.filter((name) => name !== CONTROL_FILE).concat(CONTROL_FILE),
  );
  const { label, at } = await session.stop();
  const labelFile = path.join(folder, 'label');
  mkdirSync(labelFile, { recursive: true, mode: 0o700 });
  writeFileSync(path.join(labelFile, 'backup_label'), label, { mode: 0o600 });
  const labelled = await copyExisting(labelFile, base, ['backup_label']);
  const [, next = ''] = /^START WAL LOCATION: .* \(file ([0-9A-F]{24})\)/.exec(label) ?? [];
  return {
    format: 1,
    system_identifier,
    from: at,
    until: at,
    next,
    secret_keys: [],
    files_in: wanted.files === undefined ? 'bucket' : 'backup',
    log: [],
    files: [],
    folders: found.folders.filter((name) => !name.startsWith(EMPTY_FOLDERS[1] ?? '')),
    base: [...entries, ...labelled],
  };
}

type SegmentRange = { first: string; next: string };

async function copyLog(
  folder: string,
  { server }: BackupSession,
  { first, next }: SegmentRange,
): Promise<Entry[]> {
  const from = path.join(server.data_directory, 'pg_wal');
  const names = segmentsBetween(first, next, server.segment_bytes);
  const existing = new Set(readdirSync(from));
  const lost = names?.find((name) => !existing.has(name));
  if (!names || lost !== undefined)
    throw new UnusableBackup(
      `The log since the last backup in ${folder} is no longer available${lost ? ` (${lost})` : ''}: ` +
        'a backup to another folder was made since, the last backup is too old, or the server was restored. Start in an empty folder.',
    );
  const histories = [...existing].filter((name) => name.endsWith('.history'));
  return copyExisting(from, path.join(folder, 'log'), [...histories, ...names]);
}

async function copyNewFiles(folder: string, from: string, { files }: Manifest): Promise<Entry[]> {
  const known = new Set(files.map((entry) => entry.path));
  const found = await listTree(from);
  const fresh = found.files.filter((name) => !known.has(name));
  return copyExisting(from, path.join(folder, 'files'), fresh);
}
