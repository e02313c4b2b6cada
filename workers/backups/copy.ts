import { createHash } from 'node:crypto';
import { lstat, mkdir, open, readdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { Unusable, type Entry } from './manifest.ts';

/** Copies a file's bytes, flushed to the disk, and says what they were. A crash leaves no half of a file. */
export async function copyFile(from: string, to: string): Promise<Omit<Entry, 'path'>> {
  await mkdir(path.dirname(to), { recursive: true, mode: 0o700 });
  const source = await open(from, 'r');
  try {
    const beside = `${to}.copying`;
    const target = await open(beside, 'w', 0o600);
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
    await rename(beside, to);
    return { bytes, sha256: hash.digest('hex') };
  } finally {
    await source.close();
  }
}

/** Copies what a manifest names; a file that is not as it was when it was written down ends it. */
export async function copyChecked(from: string, to: string, entries: readonly Entry[]) {
  for (const entry of entries) {
    const source = path.join(from, entry.path);
    const copied = await copyFile(source, path.join(to, entry.path)).catch(missing);
    if (copied?.sha256 !== entry.sha256)
      throw new Unusable(`${source} is ${copied ? 'not as it was written' : 'missing'}.`);
  }
}

/** Copies these files of a folder that is in use: one that is gone meanwhile is left out. */
export async function copyNamed(from: string, to: string, names: readonly string[]) {
  const entries: Entry[] = [];
  for (const name of names) {
    const copied = await copyFile(path.join(from, name), path.join(to, name)).catch(missing);
    if (copied) entries.push({ path: name, ...copied });
  }
  return entries;
}

/** Every folder and every plain file below it, in order; links are not followed. */
export async function namesBelow(
  root: string,
  below = '',
): Promise<{ folders: string[]; files: string[] }> {
  const found = { folders: [] as string[], files: [] as string[] };
  const names = await readdir(path.join(root, below)).catch(missing);
  for (const name of (names ?? []).sort()) {
    const inside = path.join(below, name);
    const known = await lstat(path.join(root, inside)).catch(missing);
    if (known?.isFile()) found.files.push(inside);
    if (!known?.isDirectory()) continue;
    const deeper = await namesBelow(root, inside);
    found.folders.push(inside, ...deeper.folders);
    found.files.push(...deeper.files);
  }
  return found;
}

function missing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
