import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';

/** A tar archive (POSIX ustar). You can list it with `tar tf`. */
const BLOCK = 512;
const NAME = /^[a-z0-9][a-z0-9_./-]{0,98}$/;

/** The file is not a valid export. The message says why. */
export class UnusableArchive extends Error {}

export type WrittenEntry = { name: string; bytes: number; sha256: string };

/**
 * Creates the file, which must not exist, readable by its owner only. Appends entries one after the other.
 */
export async function writeArchive(path: string) {
  const file = await open(path, 'wx', 0o600);
  return {
    /** The size of an entry must be known before its bytes are written. */
    add: async (
      name: string,
      bytes: number,
      content: AsyncIterable<Uint8Array> | Uint8Array[],
    ): Promise<WrittenEntry> => {
      await file.write(headerOf(name, bytes));
      const hash = createHash('sha256');
      let written = 0;
      for await (const piece of content) {
        hash.update(piece);
        written += piece.byteLength;
        await file.writeFile(piece);
      }
      if (written !== bytes) throw new Error(`${name} changed while it was written.`);
      await file.write(Buffer.alloc(padding(bytes)));
      return { name, bytes, sha256: hash.digest('hex') };
    },
    finish: async () => {
      await file.write(Buffer.alloc(2 * BLOCK));
      await file.sync();
    },
    close: () => file.close(),
  };
}
export type Archive = Awaited<ReturnType<typeof writeArchive>>;

export type Entry = { name: string; bytes: number; start: number };

/**
 * Reads the entries in order. Checks that each header's checksum and size are valid, and trusts nothing
 * else.
 */
export async function* readEntries(file: FileHandle): AsyncGenerator<Entry> {
  const { size } = await file.stat();
  for (let at = 0; ;) {
    const header = Buffer.alloc(BLOCK);
    const { bytesRead } = await file.read(header, 0, BLOCK, at);
    if (bytesRead < BLOCK)
      throw new UnusableArchive('The file is incomplete, or is not a tenant export.');
    if (header.every((byte) => byte === 0)) return;
    const { name, bytes } = readHeader(header);
    const start = at + BLOCK;
    at = start + bytes + padding(bytes);
    if (at > size) throw new UnusableArchive(`The file is incomplete: it ends in ${name}.`);
    yield { name, bytes, start };
  }
}

/** Reads an entry piece by piece. */
export async function* readEntryContent(file: FileHandle, { bytes, start }: Entry) {
  const piece = 256 * 1024;
  for (let done = 0; done < bytes;) {
    const buffer = Buffer.alloc(Math.min(piece, bytes - done));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, start + done);
    if (bytesRead === 0) throw new UnusableArchive('The file is incomplete.');
    done += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

const padding = (bytes: number) => (BLOCK - (bytes % BLOCK)) % BLOCK;

function headerOf(name: string, bytes: number): Buffer {
  if (!NAME.test(name)) throw new Error(`${name} is no name of an entry.`);
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 'latin1');
  header.write('0000600\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${bytes.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  header.write(`${checksumOf(header).toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

/** The sum of the header's bytes, with the checksum field counted as spaces. */
function checksumOf(header: Buffer): number {
  let sum = 0;
  for (const [at, byte] of header.entries()) sum += at >= 148 && at < 156 ? 32 : byte;
  return sum;
}

function readHeader(header: Buffer) {
  const textAt = (from: number, to: number) =>
    header.subarray(from, to).toString('latin1').split('\0')[0] ?? '';
  const name = textAt(0, 100);
  const isOurs =
    textAt(257, 263) === 'ustar' &&
    Number.parseInt(textAt(148, 156), 8) === checksumOf(header) &&
    textAt(156, 157) === '0' &&
    NAME.test(name) &&
    /^[0-7]{11}$/.test(textAt(124, 136));
  if (!isOurs) throw new UnusableArchive('The file is damaged, or is not a tenant export.');
  return { name, bytes: Number.parseInt(textAt(124, 136), 8) };
}
