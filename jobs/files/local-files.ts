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
  /** Signs the links; at least 32 characters. */
  secret: string;
  /** Before /api/v1 in a link, such as https://demo.example; empty for a path alone. */
  origin?: string;
};

const { O_NOFOLLOW, O_RDONLY } = constants;

/**
 * Files in a folder of this machine. A file is written beside its place, flushed to the disk and
 * then renamed: a crash leaves the old file or the new one, never a half. Links in the folder are
 * not followed, whoever planted them.
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
    put: (key, content, options = {}) => put(root, key, content, options),
    seize: (key) => read(key, (path) => seize(root, key, path)),
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
 * A process creates the store at its start and never later: a folder that has vanished under a
 * running one is a disk that is away, and what were written in its place would vanish in turn.
 */
function createOnce(root: string) {
  try {
    mkdirSync(root, { recursive: true, mode: 0o700 });
  } catch {
    // Whoever uses the store is told; the rest of the process works without it.
  }
}

async function put(root: string, key: string, content: Content, options: PutOptions) {
  const path = await wrapStoreErrors(() => resolveStoragePath(root, key, { create: true }));
  const unfinished = besides(path);
  const { once = false, when = async (_file, place) => place() } = options;
  let isPlaced = false;
  const place = () =>
    wrapStoreErrors(async () => {
      // The steps of a transaction may be run again.
      if (isPlaced) return;
      // A link fails where a file is already; a rename would replace it.
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
    // Gone already, where it has taken its place.
    await unlink(unfinished).catch(() => undefined);
  }
}

/** A second name for the same bytes: puts replace names and never bytes. */
async function seize(root: string, key: string, path: string): Promise<CapturedFile> {
  const held = besides(path);
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
        await nameAlso(held, await resolveStoragePath(root, to, { create: true }));
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

/** Replaces in one step what has the name; a repeat finds it done. */
async function nameAlso(held: string, path: string) {
  const passing = besides(path);
  await link(held, passing);
  try {
    await rename(passing, path);
  } finally {
    // A rename between two names of one file does nothing, and leaves both.
    await unlink(passing).catch(() => undefined);
  }
  await flushFolder(dirname(path));
}

const besides = (path: string) => join(dirname(path), `.${randomUUID()}`);
