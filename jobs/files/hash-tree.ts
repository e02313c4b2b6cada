import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { FileTree } from './file-tree.ts';

/** The hash that identifies a book. That of a file or zip is the hash of its bytes, as for an upload. */
export async function hashTree(tree: FileTree, place: string) {
  const hash = createHash('sha256');
  let file_size = 0;
  const add = async (bytes: AsyncIterable<Uint8Array>) => {
    for await (const piece of bytes) {
      hash.update(piece);
      file_size += piece.length;
    }
  };
  if (tree.kind !== 'folder') await add(createReadStream(place));
  else
    for (const file of tree.files) {
      hash.update(`${file.path}\n${file.size}\n`);
      await add(file.stream());
    }
  return { sha256_hash: hash.digest('hex'), file_size };
}
