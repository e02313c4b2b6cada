import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Bytes that can be read from any place, such as those of an opened file. */
export type RandomAccess = AsyncDisposable & {
  size: number;
  /** Exactly these bytes. Throws if there are fewer. */
  read(offset: number, length: number): Promise<Buffer>;
  stream(offset: number, length: number): AsyncIterable<Uint8Array>;
};

const PIECE_BYTES = 256 * 1024;

/** Opens a file without following a symbolic link. */
export async function openRandomAccess(path: string): Promise<RandomAccess> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  const { size } = await file.stat();
  const read = async (offset: number, length: number) => {
    const bytes = Buffer.alloc(length);
    let done = 0;
    while (done < length) {
      const { bytesRead } = await file.read(bytes, done, length - done, offset + done);
      if (bytesRead === 0) throw new Error('The file ended early.');
      done += bytesRead;
    }
    return bytes;
  };
  return {
    size,
    read,
    stream: (offset, length) => inPieces(read, offset, length),
    [Symbol.asyncDispose]: () => file.close(),
  };
}

/** Bytes in memory. */
export function accessBytes(bytes: Uint8Array): RandomAccess {
  const read = (offset: number, length: number) => {
    if (offset < 0 || offset + length > bytes.length)
      return Promise.reject(new Error('The file ended early.'));
    return Promise.resolve(Buffer.from(bytes.subarray(offset, offset + length)));
  };
  return {
    size: bytes.length,
    read,
    stream: (offset, length) => inPieces(read, offset, length),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

async function* inPieces(read: RandomAccess['read'], offset: number, length: number) {
  for (let from = 0; from < length; from += PIECE_BYTES)
    yield await read(offset + from, Math.min(PIECE_BYTES, length - from));
}
