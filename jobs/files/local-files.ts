import { randomUUID } from 'node:crypto';
import { constants, mkdirSync } from 'node:fs';
import { link, open, rename, rm, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { describeFile, readOpenedFile, writeNewFile } from './file-bytes.ts';
import type { Content, Files, PutOptions, CapturedFile, StoredFile } from './files.ts';
import { signLink } from './links.ts';
import {
  findStoragePath,
  flushFolder,
  nullWhenMissing,
  resolveStoragePath,
  wrapStoreErrors,
} from './storage-paths.ts';

export type LocalFilesOptions = {
  folder: string;
  /** Signs the links. At least 32 characters. */
  secret: string;
  /** Prefix of /api/v1 in links, such as https://demo.example. Empty for a path only. */
  origin?: string;
};

const { O_NOFOLLOW, O_RDONLY } = constants;

/**
 * Stores files in a local folder. A file is written under a temporary name, flushed to disk and renamed, so
 * a crash leaves either the old or the new file. Symbolic links in the folder are not followed.
 */
export function localFiles({ folder, secret, origin = '' }: LocalFilesOptions): Files {
  const root = resolve(folder);
  createOnce(root);

  async function read<T>(key: string, use: (path: string) => Promise<T>): Promise<T | null> {
    return wrapStoreErrors(async () => {
      const path = await findStoragePath(root, key);
      return path === null ? null : await use(path).catch(nullWhenMissing);
    });
  }
  const opened = (path: string) => open(path, O_RDONLY | O_NOFOLLOW);

  return {
    put: (key, content, options = {}) => putFile(root, key, content, options),
    seize: (key) => read(key, (path) => captureFile(root, key, path)),
    get: (key) => read(key, async (path) => readOpenedFile(await opened(path))),
    stream: (key) => read(key, async (path) => (await opened(path)).createReadStream()),
    describe: (key) =>
      read(key, async (path) => (await describeFile(key, await opened(path))).described),
    remove: async (key) => void (await read(key, unlink)),
    clear: async (key) =>
      void (await read(key, (path) => rm(dirname(path), { recursive: true, force: true }))),
    presign: (wanted) => Promise.resolve(`${origin}/api/v1/storage/${signLink(wanted, secret)}`),
  };
}

/**
 * Creates the folder at start only. If it disappears later, its disk is probably unmounted, and files
 * written to a new folder would be lost.
 */
function createOnce(root: string) {
  try {
    mkdirSync(root, { recursive: true, mode: 0o700 });
  } catch {
    // Calls to the store report the error. The rest of the process works without it.
  }
}

async function putFile(root: string, key: string, content: Content, options: PutOptions) {
  const path = await wrapStoreErrors(() => resolveStoragePath(root, key, { create: true }));
  const unfinished = temporaryPath(path);
  const { once = false, when = async (_file, place) => place() } = options;
  let isPlaced = false;
  const place = () =>
    wrapStoreErrors(async () => {
      // The transaction that calls this may be repeated.
      if (isPlaced) return;
      // `link` fails if the file exists; `rename` would replace it.
      if (once) await link(unfinished, path);
      else await rename(unfinished, path);
      isPlaced = true;
      await flushFolder(dirname(path));
    });
  try {
    const stored: StoredFile = { key, ...(await writeNewFile(unfinished, content)) };
    await when(stored, place);
    return stored;
  } finally {
    // Already gone if the file has been renamed.
    await unlink(unfinished).catch(() => undefined);
  }
}

/** Adds a hard link to the current bytes. Uploads replace names, never bytes. */
async function captureFile(root: string, key: string, path: string): Promise<CapturedFile> {
  const held = temporaryPath(path);
  await link(path, held);
  const dispose = () => unlink(held).catch(() => undefined);
  try {
    const file = await open(held, O_RDONLY | O_NOFOLLOW);
    const { ino, described, head, tail } = await describeFile(key, file);
    const isStill = async () => {
      const now = await open(path, O_RDONLY | O_NOFOLLOW).catch(nullWhenMissing);
      if (now === null) return false;
      await using other = now;
      return (await other.stat({ bigint: true })).ino === ino;
    };
    const settle = (to: string) =>
      wrapStoreErrors(async () => {
        if (!(await isStill())) return false;
        await linkReplacing(held, await resolveStoragePath(root, to, { create: true }));
        return true;
      });
    return {
      described,
      head,
      tail,
      settle,
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** Atomically gives the file another name, replacing an existing file. Safe to repeat. */
async function linkReplacing(held: string, path: string) {
  const passing = temporaryPath(path);
  await link(held, passing);
  try {
    await rename(passing, path);
  } finally {
    // A rename between two links of the same file does nothing and leaves both.
    await unlink(passing).catch(() => undefined);
  }
  await flushFolder(dirname(path));
}

const temporaryPath = (path: string) => join(dirname(path), `.${randomUUID()}`);
