import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { link, mkdir, open, realpath, rename, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import type { Content, Files, StoredFile } from './files.ts';
import { isStorageKey } from './keys.ts';
import { signLink } from './links.ts';

export type LocalFilesOptions = {
  folder: string;
  /** Signs the links; at least 32 characters. */
  secret: string;
  /** Before /api/v1 in a link, such as https://demo.example; empty for a path alone. */
  origin?: string;
};

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;

/**
 * Files in a folder of this machine. A file is written beside its place, flushed to the disk and
 * then renamed: a crash leaves the old file or the new one, never a half. Links in the folder are
 * not followed, whoever planted them.
 */
export function localFiles({ folder, secret, origin = '' }: LocalFilesOptions): Files {
  const root = resolve(folder);

  async function read<T>(key: string, use: (file: FileHandle) => Promise<T>): Promise<T | null> {
    const path = await placeOf(root, key).catch(nullWhenMissing);
    const file = path && (await open(path, O_RDONLY | O_NOFOLLOW).catch(nullWhenMissing));
    return file ? use(file) : null;
  }

  return {
    put: (key, content, { once = false } = {}) => put(root, key, content, once),
    get: (key) => read(key, whole),
    stream: (key) => read(key, (file) => Promise.resolve(file.createReadStream())),
    describe: (key) => read(key, (file) => describe(key, file)),
    async remove(key) {
      const path = await placeOf(root, key).catch(nullWhenMissing);
      if (path) await unlink(path).catch(nullWhenMissing);
    },
    presign: (wanted) => Promise.resolve(`${origin}/api/v1/storage/${signLink(wanted, secret)}`),
  };
}

async function put(root: string, key: string, content: Content, once: boolean) {
  await mkdir(join(root, dirname(checked(key))), { recursive: true, mode: 0o700 });
  const path = await placeOf(root, key);
  const unfinished = join(dirname(path), `.${randomUUID()}`);
  try {
    const stored = await write(key, unfinished, content);
    // A link fails where a file is already; a rename would replace it.
    if (once) await link(unfinished, path).then(() => unlink(unfinished));
    else await rename(unfinished, path);
    await flushFolder(dirname(path));
    return stored;
  } catch (error) {
    await unlink(unfinished).catch(() => undefined);
    throw error;
  }
}

async function whole(opened: FileHandle): Promise<Uint8Array> {
  await using file = opened;
  return await file.readFile();
}

async function write(key: string, path: string, content: Content): Promise<StoredFile> {
  await using file = await open(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600);
  const hash = createHash('sha256');
  let size = 0;
  const chunks = content instanceof Uint8Array ? [content] : content;
  for await (const chunk of chunks) {
    hash.update(chunk);
    size += chunk.byteLength;
    await file.writeFile(chunk);
  }
  await file.sync();
  return { key, size, sha256_hash: hash.digest('hex') };
}

async function describe(key: string, file: FileHandle): Promise<StoredFile> {
  const hash = createHash('sha256');
  let size = 0;
  // The stream closes the file at its end.
  for await (const chunk of file.createReadStream({ highWaterMark: 256 * 1024 })) {
    const bytes = Buffer.from(chunk);
    hash.update(bytes);
    size += bytes.length;
  }
  return { key, size, sha256_hash: hash.digest('hex') };
}

/** The path of a key, once its folder is known to lie in the store. */
async function placeOf(root: string, key: string): Promise<string> {
  const path = join(root, checked(key));
  const [home, folder] = await Promise.all([realpath(root), realpath(dirname(path))]);
  if (!`${folder}${sep}`.startsWith(`${home}${sep}`) || folder === home) {
    throw new Error('The file lies outside the store.');
  }
  // A linked folder inside the store would be another tenant's.
  if (folder !== join(home, dirname(key))) throw new Error('The file lies behind a link.');
  return join(folder, path.slice(dirname(path).length + 1));
}

function checked(key: string): string {
  if (isStorageKey(key)) return key;
  throw new Error('This is not a storage key.');
}

/** The name of a file is durable only when its folder is; some systems cannot flush one. */
async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, O_RDONLY).catch(() => null);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

function nullWhenMissing(error: unknown): null {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return null;
  throw error;
}
