import { openBytesAsTree, UPLOAD_LIMITS, type FileTree } from './file-tree.ts';

/** What a zip begins with. */
const ZIP_BEGINNING = 'PK\u0003\u0004';

/**
 * Opens an uploaded file as a tree. `bytes` reads it from the beginning, each time. A CSV file is streamed. A zip, of at
 * most 100 MiB, is held in memory, so that no unsealed copy is on a disk.
 */
export async function openStoredTree(
  { filename, file_size }: { filename: string; file_size: number },
  bytes: () => AsyncGenerator<Uint8Array>,
): Promise<FileTree> {
  const content = bytes();
  const { value: first } = await content.next();
  if (first && Buffer.from(first.subarray(0, 4)).toString('latin1') === ZIP_BEGINNING) {
    const zip = Buffer.alloc(file_size);
    zip.set(first);
    let at = first.length;
    for await (const piece of content) {
      zip.set(piece, at);
      at += piece.length;
    }
    return openBytesAsTree(zip, filename, UPLOAD_LIMITS);
  }
  await content.return(undefined);
  return {
    kind: 'file',
    name: filename,
    files: [{ path: filename, size: file_size, stream: bytes }],
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
