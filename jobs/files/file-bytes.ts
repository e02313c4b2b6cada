import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import type { Content } from './files.ts';
import { wrapStoreErrors } from './storage-paths.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/** Enough of the beginning and end to detect the file type. The directory of a zip is at its end. */
const HEAD_BYTES = 4_096;
const TAIL_BYTES = 131_072;

export async function readOpenedFile(opened: FileHandle): Promise<Uint8Array> {
  await using file = opened;
  return await file.readFile();
}

/** Writes a new file and flushes it to disk. Errors of the content stream are passed on unchanged. */
export async function writeNewFile(path: string, content: Content) {
  await using file = await wrapStoreErrors(() =>
    open(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600),
  );
  const hash = createHash('sha256');
  let size = 0;
  const chunks = content instanceof Uint8Array ? [content] : content;
  for await (const chunk of chunks) {
    hash.update(chunk);
    size += chunk.byteLength;
    await wrapStoreErrors(() => file.writeFile(chunk));
  }
  await wrapStoreErrors(() => file.sync());
  return { size, sha256_hash: hash.digest('hex') };
}

/** Reads size, hash, beginning and end in constant memory. Closes the file. */
export async function describeFile(key: string, opened: FileHandle) {
  await using file = opened;
  const { ino } = await file.stat({ bigint: true });
  const pieces = file.createReadStream({ highWaterMark: 256 * 1024, autoClose: false });
  return { ino, ...(await describeBytes(key, pieces)) };
}

/** Like `describeFile`, for any stream of bytes. */
export async function describeBytes(key: string, pieces: AsyncIterable<Uint8Array>) {
  const hash = createHash('sha256');
  const head = Buffer.alloc(HEAD_BYTES);
  let size = 0;
  let tail = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = Buffer.from(piece);
    hash.update(bytes);
    if (size < HEAD_BYTES) bytes.copy(head, size);
    tail = bytes.length >= TAIL_BYTES ? bytes : Buffer.concat([tail, bytes]);
    tail = tail.subarray(-TAIL_BYTES);
    size += bytes.length;
  }
  const described = { key, size, sha256_hash: hash.digest('hex') };
  return { described, head: head.subarray(0, size), tail };
}
