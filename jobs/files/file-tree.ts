import { createReadStream } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { accessBytes, openRandomAccess, type RandomAccess } from './random-access.ts';
import { readZip, type ZipLimits } from './read-zip.ts';

export type TreeFile = { path: string; size: number; stream(): AsyncIterable<Uint8Array> };

/** Files by path: those of a folder or of a zip, or a single file. */
export type FileTree = AsyncDisposable & {
  kind: 'folder' | 'zip' | 'file';
  /** The name of the folder or file, for messages. */
  name: string;
  /** In the order of their paths. A path never leads out of the tree. */
  files: readonly TreeFile[];
};

/** What a person may send. A folder on the machine of an operator has the same limits. */
export const TREE_LIMITS: ZipLimits = { files: 200_000, bytes: 64 * 2 ** 30 };
/** What a person may upload. All uploads together must fit into the workers. */
export const UPLOAD_LIMITS: ZipLimits = { files: 200_000, bytes: 2 * 2 ** 30 };
const DEPTH_MAX = 10;

/** Opens a folder, a zip or a single file on the disk. Symbolic links are not followed. */
export async function openFileTree(place: string, limits = TREE_LIMITS): Promise<FileTree> {
  const name = path.basename(place);
  if ((await lstat(place)).isDirectory())
    return treeOf('folder', name, await listFolder(place, limits.files));
  if (await isZip(place)) return openZip(await openRandomAccess(place), name, limits);
  const { size } = await lstat(place);
  return treeOf('file', name, [{ path: name, size, stream: () => createReadStream(place) }]);
}

/** The same for bytes in memory. */
export async function openBytesAsTree(
  bytes: Uint8Array,
  name: string,
  limits = TREE_LIMITS,
): Promise<FileTree> {
  const isPacked = Buffer.from(bytes.subarray(0, 4)).equals(ZIP_BEGINNING);
  if (isPacked) return openZip(accessBytes(bytes), name, limits);
  return treeOf('file', name, [
    {
      path: name,
      size: bytes.length,
      stream: async function* () {
        yield await Promise.resolve(bytes);
      },
    },
  ]);
}

const treeOf = (
  kind: FileTree['kind'],
  name: string,
  files: readonly TreeFile[],
  dispose: () => Promise<void> = () => Promise.resolve(),
): FileTree => ({
  kind,
  name,
  files: files.toSorted((one, other) => (one.path < other.path ? -1 : 1)),
  [Symbol.asyncDispose]: dispose,
});

const ZIP_BEGINNING = Buffer.from('PK\u0003\u0004', 'latin1');

async function isZip(place: string): Promise<boolean> {
  await using file = await open(place);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
  return bytesRead === 4 && buffer.equals(ZIP_BEGINNING);
}

async function openZip(archive: RandomAccess, name: string, limits: ZipLimits) {
  try {
    const files = withoutCommonFolder((await readZip(archive, limits)).filter(isWanted));
    return treeOf('zip', name, files, async () => archive[Symbol.asyncDispose]());
  } catch (error) {
    await archive[Symbol.asyncDispose]();
    throw error;
  }
}

/** Programs that pack files add some of their own. */
const isWanted = ({ path: inside }: { path: string }) =>
  !inside.split('/').some((part) => part.startsWith('.') || part === '__MACOSX');

/** People pack a folder as well as its files. */
function withoutCommonFolder(files: readonly TreeFile[]): readonly TreeFile[] {
  const [folder = ''] = files[0]?.path.split('/') ?? [];
  const isCommon = files.every((file) => file.path.startsWith(`${folder}/`));
  return isCommon
    ? files.map((file) => ({ ...file, path: file.path.slice(folder.length + 1) }))
    : files;
}

async function listFolder(root: string, filesMax: number): Promise<TreeFile[]> {
  const files: TreeFile[] = [];
  const walk = async (inside: string, depth: number): Promise<void> => {
    for (const entry of await readdir(path.join(root, inside), { withFileTypes: true })) {
      const relative = inside === '' ? entry.name : `${inside}/${entry.name}`;
      if (!isWanted({ path: relative })) continue;
      if (entry.isDirectory() && depth < DEPTH_MAX) await walk(relative, depth + 1);
      if (!entry.isFile()) continue;
      if (files.length === filesMax) throw new Error(`The folder has more than ${filesMax} files.`);
      const place = path.join(root, relative);
      const { size } = await lstat(place);
      files.push({ path: relative, size, stream: () => createReadStream(place) });
    }
  };
  await walk('', 1);
  return files;
}
