import { constants } from 'node:fs';
import { mkdir, open, realpath } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { StoreUnavailable } from './files.ts';
import { isStorageKey } from './keys.ts';

/**
 * The path of a key. Throws if its folder is outside the store. Creates folders below the store, but never
 * the store itself.
 */
export async function resolveStoragePath(
  root: string,
  key: string,
  { create = false } = {},
): Promise<string> {
  const path = join(root, assertStorageKey(key));
  const home = await resolveRoot(root);
  if (create) await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const folder = await realpath(dirname(path));
  if (!`${folder}${sep}`.startsWith(`${home}${sep}`) || folder === home) {
    throw new Error('The file is outside the document store.');
  }
  // A symbolic link inside the store could lead to another tenant's folder.
  if (folder !== join(home, dirname(key))) throw new Error('The file is behind a symbolic link.');
  return join(folder, path.slice(dirname(path).length + 1));
}

/** The path of a key, or null if the store exists but the key's folder does not. */
export async function findStoragePath(root: string, key: string): Promise<string | null> {
  assertStorageKey(key);
  await resolveRoot(root);
  return resolveStoragePath(root, key).catch(nullWhenMissing);
}

/** The real path of the store. Fails if it is not a folder. */
const resolveRoot = (root: string) => realpath(`${root}${sep}.`);

function assertStorageKey(key: string): string {
  if (isStorageKey(key)) return key;
  throw new Error('This is not a storage key.');
}

/** Errors of a working store: the file exists, or a symbolic link was not followed. */
const EXPECTED_ERROR_CODES = new Set(['EEXIST', 'ELOOP']);

/** Turns operating system errors (disk full, read-only, no permission) into StoreUnavailable. */
export async function wrapStoreErrors<Result>(steps: () => Promise<Result>): Promise<Result> {
  try {
    return await steps();
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined || EXPECTED_ERROR_CODES.has(code)) throw error;
    throw new StoreUnavailable(`The document store is not available (${code}).`, {
      cause: error,
    });
  }
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return undefined;
  return String(error.code);
}

export function nullWhenMissing(error: unknown): null {
  const code = codeOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return null;
  throw error;
}

/** A file's name is durable only after its folder is flushed. Some systems cannot flush folders. */
export async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY).catch(() => null);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
