import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { isStorageKey } from '../../jobs/files/keys.ts';
import { readEntryContent, readEntries, UnusableArchive, type Entry } from './archive.ts';
import {
  fileEntryName,
  jobsEntryName,
  Manifest,
  MANIFEST_ENTRY,
  MANIFEST_BYTES_MAX,
} from './manifest.ts';

/** The maximum size of a batch of a thousand rows. */
const LINES_BYTES_MAX = 512 * 1024 * 1024;

export type CheckedArchive = { manifest: Manifest; entries: Map<string, Entry> };

/** Reads the whole file and compares every entry with the manifest: name, size and SHA-256. */
export async function checkArchive(file: FileHandle): Promise<CheckedArchive> {
  const found: Entry[] = [];
  for await (const entry of readEntries(file)) found.push(entry);
  const last = found.pop();
  if (last?.name !== MANIFEST_ENTRY)
    throw new UnusableArchive('The file has no manifest at its end.');
  const manifest = await readManifest(file, last);
  if (found.length !== manifest.entries.length)
    throw new UnusableArchive("The file's entries differ from its manifest.");
  for (const [at, entry] of found.entries()) {
    const wanted = manifest.entries[at];
    const hash = createHash('sha256');
    for await (const piece of readEntryContent(file, entry)) hash.update(piece);
    const isSame =
      wanted?.name === entry.name &&
      wanted.bytes === entry.bytes &&
      wanted.sha256 === hash.digest('hex');
    if (!isSame)
      throw new UnusableArchive(`${entry.name} differs from the manifest: the file is damaged.`);
  }
  const entries = new Map(found.map((entry) => [entry.name, entry]));
  if (entries.size !== found.length) throw new UnusableArchive('Two entries have the same name.');
  assertOwnFiles(manifest, entries);
  return { manifest, entries };
}

async function readManifest(file: FileHandle, entry: Entry): Promise<Manifest> {
  if (entry.bytes > MANIFEST_BYTES_MAX) throw new UnusableArchive('The manifest is too long.');
  const pieces: Buffer[] = [];
  for await (const piece of readEntryContent(file, entry)) pieces.push(piece);
  try {
    return Manifest.parse(JSON.parse(Buffer.concat(pieces).toString()));
  } catch (error) {
    throw new UnusableArchive('The manifest does not belong to a tenant export.', {
      cause: error,
    });
  }
}

/** Every stored file must have a storage key of its own tenant. */
function assertOwnFiles({ tenant, files }: Manifest, entries: ReadonlyMap<string, Entry>) {
  files.forEach(({ key, entry }, at) => {
    const isOwn = isStorageKey(key) && key.startsWith(`${tenant.slug}/`);
    if (!isOwn || entry !== fileEntryName(at + 1) || !entries.has(entry))
      throw new UnusableArchive('A file has the storage key of another tenant.');
  });
}

/** Reads the lines of each entry with this name. */
export async function* readLines(
  file: FileHandle,
  { entries }: CheckedArchive,
  nameOf: (batch: number) => string,
): AsyncGenerator<readonly string[]> {
  for (let batch = 1; ; batch += 1) {
    const entry = entries.get(nameOf(batch));
    if (!entry) return;
    if (entry.bytes > LINES_BYTES_MAX) throw new UnusableArchive(`${entry.name} is too long.`);
    const pieces: Buffer[] = [];
    for await (const piece of readEntryContent(file, entry)) pieces.push(piece);
    const text = Buffer.concat(pieces).toString();
    yield text.split('\n').filter((line) => line !== '');
  }
}

export const readJobLines = (file: FileHandle, checked: CheckedArchive) =>
  readLines(file, checked, jobsEntryName);
