import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, realpath, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { UnusableBackup, type Entry } from './manifest.ts';

/** Opens plain files only: a link may lead anywhere, and opening a pipe may block. */
const PLAIN_FILE_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Copies a file, flushes it to disk, and returns its size and SHA-256. A crash never leaves a partial copy
 * under the final name. Only the owner can read the copy, even if another file was there before.
 */
export async function copyFile(from: string, to: string): Promise<Omit<Entry, 'path'>> {
  await mkdir(path.dirname(to), { recursive: true, mode: 0o700 });
  const source = await openPlainFile(from);
  try {
    const temporary = `${to}.copying`;
    await rm(temporary, { force: true });
    const target = await open(temporary, 'wx', 0o600);
    const hash = createHash('sha256');
    let bytes = 0;
    try {
      for await (const chunk of source.createReadStream({ autoClose: false })) {
        const piece = chunk as Buffer;
        hash.update(piece);
        bytes += piece.length;
        await target.writeFile(piece);
      }
      await target.sync();
    } finally {
      await target.close();
    }
    await rename(temporary, to);
    return { bytes, sha256: hash.digest('hex') };
  } finally {
    await source.close();
  }
}

async function openPlainFile(file: string) {
  const handle = await open(file, PLAIN_FILE_FLAGS).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ELOOP') throw notPlainFile(file);
    throw error;
  });
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw notPlainFile(file);
}

const notPlainFile = (file: string) =>
  new UnusableBackup(`${file} is not a plain file. A backup contains plain files only.`);

/** Copies the files that a manifest lists. Throws if a file differs from the manifest. */
export async function copyVerified(from: string, to: string, entries: readonly Entry[]) {
  for (const entry of entries) {
    const inside = assertPathInside(entry.path);
    const file = path.join(from, inside);
    await assertNoLinkAbove(from, inside);
    const copied = await copyFile(file, path.join(to, inside)).catch(ignoreMissing);
    if (copied?.sha256 !== entry.sha256)
      throw new UnusableBackup(`${file} is ${copied ? 'damaged' : 'missing'}.`);
  }
}

/** Returns a path from the manifest after checking that it stays below its folder. Throws otherwise. */
export function assertPathInside(named: string): string {
  const place = path.normalize(named);
  if (path.isAbsolute(place) || place.split(path.sep).includes('..'))
    throw new UnusableBackup(`The manifest names a path outside the backup: ${named}.`);
  return place;
}

/** The backup folder itself may be a link. Links inside it are refused. */
async function assertNoLinkAbove(from: string, inside: string) {
  const folder = path.dirname(inside);
  const [root, real] = await Promise.all([
    realpath(from).catch(ignoreMissing),
    realpath(path.join(from, folder)).catch(ignoreMissing),
  ]);
  if (root !== undefined && real !== undefined && real !== path.join(root, folder))
    throw new UnusableBackup(
      `${path.join(from, folder)} is reached through a link. A backup contains no links.`,
    );
}

/**
 * Copies the named files of a folder that is in use. Files that were deleted in the meantime are skipped.
 */
export async function copyExisting(from: string, to: string, names: readonly string[]) {
  const entries: Entry[] = [];
  for (const name of names) {
    const copied = await copyFile(path.join(from, name), path.join(to, name)).catch(ignoreMissing);
    if (copied) entries.push({ path: name, ...copied });
  }
  return entries;
}

/** Lists all folders and plain files below a folder, sorted. Links are not followed. */
export async function listTree(
  root: string,
  below = '',
): Promise<{ folders: string[]; files: string[] }> {
  const found = { folders: [] as string[], files: [] as string[] };
  const names = await readdir(path.join(root, below)).catch(ignoreMissing);
  for (const name of (names ?? []).sort()) {
    const inside = path.join(below, name);
    const known = await lstat(path.join(root, inside)).catch(ignoreMissing);
    if (known?.isFile()) found.files.push(inside);
    if (!known?.isDirectory()) continue;
    const deeper = await listTree(root, inside);
    found.folders.push(inside, ...deeper.folders);
    found.files.push(...deeper.files);
  }
  return found;
}

function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
