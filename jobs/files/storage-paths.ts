import { constants } from 'node:fs';
import { mkdir, open, realpath } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { StoreUnavailable } from './files.ts';
import { isStorageKey } from './keys.ts';

/**
 * The path of a key, once its folder is known to lie in the store. Folders are created below the
 * store only, and never the store itself.
 */
export async function resolveStoragePath(
  root: string,
  key: string,
  { create = false } = {},
): Promise<string> {
  const path = join(root, checked(key));
  const home = await homeOf(root);
  if (create) await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const folder = await realpath(dirname(path));
  if (!`${folder}${sep}`.startsWith(`${home}${sep}`) || folder === home) {
    throw new Error('The file lies outside the store.');
  }
  // A linked folder inside the store would be another tenant's.
  if (folder !== join(home, dirname(key))) throw new Error('The file lies behind a link.');
  return join(folder, path.slice(dirname(path).length + 1));
}

/** The same, or null where the store is there and nothing of that folder. */
export async function findStoragePath(root: string, key: string): Promise<string | null> {
  checked(key);
  await homeOf(root);
  return resolveStoragePath(root, key).catch(nullWhenMissing);
}

/** Where the store really is; what is no folder is none. */
const homeOf = (root: string) => realpath(`${root}${sep}.`);

function checked(key: string): string {
  if (isStorageKey(key)) return key;
  throw new Error('This is not a storage key.');
}

/** What a store that works also says: a file that is taken, and a link that is not followed. */
const SAYS_NOTHING = new Set(['EEXIST', 'ELOOP']);

/** Whatever the system refuses (full, read-only, not ours, away) is said as one thing. */
export async function wrapStoreErrors<Result>(steps: () => Promise<Result>): Promise<Result> {
  try {
    return await steps();
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined || SAYS_NOTHING.has(code)) throw error;
    throw new StoreUnavailable(`The store of documents does not work (${code}).`, {
      cause: error,
    });
  }
}

/** The code of an error of the operating system. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return undefined;
  return String(error.code);
}

export function nullWhenMissing(error: unknown): null {
  const code = codeOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return null;
  throw error;
}

/** The name of a file is durable only when its folder is; some systems cannot flush one. */
export async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY).catch(() => null);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
