import { pipeline, Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import type { RandomAccess } from './random-access.ts';

/** The archive is damaged, or it is not safe to unpack. The message is for the person who sent it. */
export class ZipRefused extends Error {}

export type ZippedFile = { path: string; size: number; stream(): AsyncIterable<Uint8Array> };

export type ZipLimits = { files: number; bytes: number };

/** A stronger compression than that of any CSV file is a trap that fills the memory or the disk. */
const RATIO_MAX = 250;
/** Small files may be compressed as strongly as they like. */
const UNSUSPECTED_BYTES = 1_048_576;

const END_BYTES = 22;
const COMMENT_MAX = 65_535;
const DIRECTORY_BYTES_MAX = 64 * 1024 * 1024;
const STORED = 0;
const DEFLATED = 8;

/**
 * The files of a zip archive, from its central directory. Throws `ZipRefused` for an archive that is damaged, encrypted,
 * too large, or whose paths lead out of the folder into which it would be unpacked. Each file can be streamed at any
 * time; its length and checksum are compared.
 */
export async function readZip(archive: RandomAccess, limits: ZipLimits): Promise<ZippedFile[]> {
  const { offset, length, count } = await findDirectory(archive);
  if (count > limits.files) throw new ZipRefused(`The zip has more than ${limits.files} files.`);
  if (length > DIRECTORY_BYTES_MAX || offset + length > archive.size)
    throw new ZipRefused('The directory of the zip is damaged.');
  const entries = readDirectory(await archive.read(offset, length), count);
  const paths = new Set<string>();
  let compressed = 0;
  let bytes = 0;
  for (const entry of entries) {
    assertSafe(entry, archive);
    if (paths.has(entry.path)) throw new ZipRefused(`The zip has two files ${entry.path}.`);
    paths.add(entry.path);
    compressed += entry.compressed_size;
    bytes += entry.size;
  }
  // Files that share compressed bytes are a trap: a small archive would unpack to petabytes.
  if (compressed > archive.size) throw new ZipRefused('The files of the zip overlap.');
  if (bytes > limits.bytes)
    throw new ZipRefused(`The zip unpacks to more than ${Math.floor(limits.bytes / 2 ** 20)} MB.`);
  return entries
    .filter(({ path }) => !path.endsWith('/'))
    .map((entry) => ({
      path: entry.path,
      size: entry.size,
      stream: () => streamEntry(archive, entry),
    }));
}

type Entry = {
  path: string;
  flags: number;
  method: number;
  checksum: number;
  compressed_size: number;
  size: number;
  offset: number;
  is_link: boolean;
};

async function findDirectory(archive: RandomAccess) {
  const length = Math.min(archive.size, END_BYTES + COMMENT_MAX);
  const tail = await archive.read(archive.size - length, length);
  const at = tail.lastIndexOf(Buffer.from('PK\u0005\u0006', 'latin1'));
  if (at < 0 || at + END_BYTES > tail.length)
    throw new ZipRefused('The zip is incomplete. Upload it again.');
  const found = {
    count: tail.readUInt16LE(at + 10),
    length: tail.readUInt32LE(at + 12),
    offset: tail.readUInt32LE(at + 16),
  };
  const locator = at - 20;
  const isLarge = locator >= 0 && tail.readUInt32LE(locator) === 0x07064b50;
  if (!isLarge) return found;
  const place = Number(tail.readBigUInt64LE(locator + 8));
  if (place + 56 > archive.size) throw new ZipRefused('The directory of the zip is damaged.');
  const end = await archive.read(place, 56);
  if (end.readUInt32LE(0) !== 0x06064b50)
    throw new ZipRefused('The directory of the zip is damaged.');
  return {
    count: Number(end.readBigUInt64LE(32)),
    length: Number(end.readBigUInt64LE(40)),
    offset: Number(end.readBigUInt64LE(48)),
  };
}

function readDirectory(directory: Buffer, count: number): Entry[] {
  const entries: Entry[] = [];
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    if (at + 46 > directory.length || directory.readUInt32LE(at) !== 0x02014b50)
      throw new ZipRefused('The directory of the zip is damaged.');
    const [name, extra, comment] = [28, 30, 32].map((place) => directory.readUInt16LE(at + place));
    const nameEnd = at + 46 + (name ?? 0);
    const extraEnd = nameEnd + (extra ?? 0);
    const flags = directory.readUInt16LE(at + 8);
    const sizes = {
      size: directory.readUInt32LE(at + 24),
      compressed_size: directory.readUInt32LE(at + 20),
      offset: directory.readUInt32LE(at + 42),
    };
    entries.push({
      path: directory.toString((flags & 0x800) === 0 ? 'latin1' : 'utf8', at + 46, nameEnd),
      flags,
      method: directory.readUInt16LE(at + 10),
      checksum: directory.readUInt32LE(at + 16),
      // Unix keeps the kind of the file in the upper half: 0o12 is a symbolic link.
      is_link: directory.readUInt32LE(at + 38) >>> 28 === 0o12,
      ...withLargeSizes(sizes, directory.subarray(nameEnd, extraEnd)),
    });
    at = extraEnd + (comment ?? 0);
  }
  return entries;
}

type Sizes = Pick<Entry, 'size' | 'compressed_size' | 'offset'>;
const LARGE = 0xffffffff;

/** Values above 4 GB are in an extra field, in this order, and only those that do not fit. */
function withLargeSizes(sizes: Sizes, extra: Buffer): Sizes {
  for (let at = 0; at + 4 <= extra.length;) {
    const [id, length] = [extra.readUInt16LE(at), extra.readUInt16LE(at + 2)];
    const field = extra.subarray(at + 4, at + 4 + length);
    at += 4 + length;
    if (id !== 1) continue;
    const found = { ...sizes };
    let place = 0;
    for (const name of ['size', 'compressed_size', 'offset'] as const) {
      if (sizes[name] !== LARGE) continue;
      if (place + 8 > field.length) throw new ZipRefused('The directory of the zip is damaged.');
      found[name] = Number(field.readBigUInt64LE(place));
      place += 8;
    }
    return found;
  }
  return sizes;
}

function assertSafe(entry: Entry, archive: RandomAccess) {
  const { path } = entry;
  const parts = path.split('/');
  const leadsOut =
    path === '' ||
    path.length > 500 ||
    /[\\\p{Cc}]|^[a-z]:/iu.test(path) ||
    parts.some((part, index) => part === '..' || part === '.' || (part === '' && index === 0));
  if (leadsOut || entry.is_link)
    throw new ZipRefused(
      'The zip has a path that leads out of its folder, or a link. Pack the files themselves.',
    );
  if ((entry.flags & 1) !== 0) throw new ZipRefused('The zip is encrypted. Pack it without one.');
  if (entry.method !== STORED && entry.method !== DEFLATED)
    throw new ZipRefused(`The zip uses a compression other than "deflate" for ${path}.`);
  if (entry.offset + entry.compressed_size > archive.size)
    throw new ZipRefused('The zip is incomplete. Upload it again.');
  if (entry.size > UNSUSPECTED_BYTES && entry.size > entry.compressed_size * RATIO_MAX)
    throw new ZipRefused(`${path} is compressed more strongly than any file that people pack.`);
}

async function* streamEntry(archive: RandomAccess, entry: Entry): AsyncGenerator<Uint8Array> {
  const header = await archive.read(entry.offset, 30);
  if (header.readUInt32LE(0) !== 0x04034b50) throw new ZipRefused('The zip is damaged.');
  const from = entry.offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  if (from + entry.compressed_size > archive.size) throw new ZipRefused('The zip is damaged.');
  const packed = archive.stream(from, entry.compressed_size);
  let size = 0;
  let checksum = 0;
  for await (const piece of entry.method === STORED ? packed : inflate(packed, entry.path)) {
    size += piece.length;
    // The directory states the size, which was compared with the limits.
    if (size > entry.size) break;
    checksum = crc32(piece, checksum);
    yield piece;
  }
  if (size !== entry.size || checksum !== entry.checksum)
    throw new ZipRefused(`${entry.path} is damaged in the zip. Pack it again.`);
}

async function* inflate(packed: AsyncIterable<Uint8Array>, path: string) {
  const unpacked = createInflateRaw();
  // The loop below reports errors.
  pipeline(Readable.from(packed), unpacked, () => {});
  try {
    for await (const piece of unpacked) yield piece as Buffer;
  } catch (error) {
    if ((error as { code?: string }).code?.startsWith('Z_'))
      throw new ZipRefused(`${path} is damaged in the zip. Pack it again.`);
    throw error;
  }
}
