import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Writes one message into the folder, completely or not at all. A message with the same name replaces the
 * earlier one.
 */
export async function writeOutbox(folder: string, name: string, bytes: string | Uint8Array) {
  await mkdir(folder, { recursive: true });
  const unfinished = join(folder, `.${name}.${process.pid}`);
  await writeFile(unfinished, bytes, { mode: 0o600 });
  await rename(unfinished, join(folder, name));
}
