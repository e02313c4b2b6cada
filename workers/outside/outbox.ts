import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Puts one message into the folder, whole or not at all. The same name twice is one message: a
 * repeat replaces it.
 */
export async function writeOutbox(folder: string, name: string, bytes: string | Uint8Array) {
  await mkdir(folder, { recursive: true });
  const unfinished = join(folder, `.${name}.${process.pid}`);
  await writeFile(unfinished, bytes, { mode: 0o600 });
  await rename(unfinished, join(folder, name));
}
