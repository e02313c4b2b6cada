import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

/**
 * The contents of a backup. The manifest is written last; files that it does not list are not part of the
 * backup.
 */
const Entry = z.object({ path: z.string(), bytes: z.int(), sha256: z.string() });
export type Entry = z.output<typeof Entry>;

const Manifest = z.object({
  format: z.literal(1),
  system_identifier: z.string(),
  /** You can restore any moment between `from` and `until`. */
  from: z.string(),
  until: z.string(),
  /** The first WAL segment that the next backup copies. */
  next: z.string(),
  /** The ids of the SECRET keys that a restored copy needs. SECRET itself is not in the backup. */
  secret_keys: z.string().array(),
  /** If documents are in a bucket, the backup does not contain them. Use the bucket's versioning. */
  files_in: z.enum(['backup', 'bucket']),
  folders: z.string().array(),
  base: Entry.array(),
  log: Entry.array(),
  files: Entry.array(),
});
export type Manifest = z.output<typeof Manifest>;

export class UnusableBackup extends Error {}

const placeOf = (folder: string) => path.join(folder, 'manifest.json');

export function readManifest(folder: string): Manifest | undefined {
  if (!existsSync(placeOf(folder))) return undefined;
  try {
    return Manifest.parse(JSON.parse(readFileSync(placeOf(folder), 'utf8')));
  } catch (error) {
    throw new UnusableBackup(`${placeOf(folder)} is not the manifest of a backup.`, {
      cause: error,
    });
  }
}

export function writeManifest(folder: string, manifest: Manifest) {
  const temporary = `${placeOf(folder)}.new`;
  writeFileSync(temporary, JSON.stringify(manifest, null, 1), { mode: 0o600, flush: true });
  renameSync(temporary, placeOf(folder));
}
