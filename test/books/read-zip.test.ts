import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { strToU8, zipSync, type Zippable } from 'fflate';
import { expect, test } from 'vitest';
import { openBytesAsTree, openFileTree, type FileTree } from '../../jobs/files/file-tree.ts';
import { ZipRefused } from '../../jobs/files/read-zip.ts';
import { zipped } from '../../jobs/files/zip.ts';

const zip = (files: Zippable) => Buffer.from(zipSync(files));
const opened = (bytes: Uint8Array, limits?: { files: number; bytes: number }) =>
  openBytesAsTree(bytes, 'book.zip', limits);

async function contentsOf(tree: FileTree) {
  const contents: Record<string, string> = {};
  for (const file of tree.files)
    contents[file.path] = Buffer.concat(await Array.fromAsync(file.stream())).toString();
  return contents;
}

test('the files of a zip are read, also those packed as a folder, without those of the packing program', async () => {
  const files = { 'loans.csv': 'a,b\n'.repeat(1000), 'documents/L-1/é.pdf': 'PDF' };
  const plain = zip({
    'loans.csv': strToU8(files['loans.csv']),
    'documents/L-1/é.pdf': strToU8('PDF'),
  });
  const packed = zip({
    'export/loans.csv': [strToU8(files['loans.csv']), { level: 0 }],
    'export/documents/L-1/é.pdf': strToU8('PDF'),
    '__MACOSX/export/._loans.csv': strToU8('x'),
    'export/.DS_Store': strToU8('x'),
  });

  expect(await contentsOf(await opened(plain))).toEqual(files);
  expect(await contentsOf(await opened(packed))).toEqual(files);
});

test('a zip that we write as a stream is read, whatever its files contain', async () => {
  // The bytes that begin the parts of a zip may also be in its files.
  const content = Buffer.from('PK\u0007\u0008PK\u0001\u0002PK\u0005\u0006'.repeat(50), 'latin1');
  async function* entries() {
    yield await Promise.resolve({ path: 'a.pdf', content });
    yield { path: 'b.json', content };
  }
  const bytes = Buffer.concat(await Array.fromAsync(zipped(entries(), new Date('2026-01-01'))));

  const tree = await opened(bytes);

  expect(tree.files.map((file) => [file.path, file.size])).toEqual([
    ['a.pdf', content.length],
    ['b.json', content.length],
  ]);
  for (const file of tree.files)
    expect(Buffer.concat(await Array.fromAsync(file.stream()))).toEqual(content);
});

/** The zip with the path of its only file replaced by one of the same length, in both places. */
const renamed = (to: string) => {
  const from = 'x'.repeat(to.length);
  const text = zip({ [from]: strToU8('x') }).toString('latin1');
  return Buffer.from(text.replaceAll(from, to), 'latin1');
};

test.each([
  '../../etc/passwd',
  '/etc/passwd',
  'a/../../b',
  'C:/windows/x',
  'a\\..\\b',
  './loans.csv',
  'a\u0001b',
])('a path that leads out of the zip is refused: %j', async (name) => {
  await expect(opened(renamed(name))).rejects.toThrow('leads out of its folder');
});

test('a symbolic link in a zip is refused', async () => {
  const bytes = zip({ 'loans.csv': [strToU8('/etc/passwd'), { os: 3, attrs: 0o120777 << 16 }] });

  await expect(opened(bytes)).rejects.toThrow('or a link');
});

test('a zip that unpacks to too much is refused before it is unpacked', async () => {
  const nothing = zip({ 'loans.csv': new Uint8Array(20_000_000) });
  const many = zip(
    Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`${at}`, strToU8('x')])),
  );

  await expect(opened(nothing)).rejects.toThrow('more strongly than any file');
  await expect(opened(many, { files: 19, bytes: 100 })).rejects.toThrow('more than 19 files');
  await expect(opened(many, { files: 20, bytes: 19 })).rejects.toThrow('unpacks to more than');
});

/** The zip with the size of its file in the directory replaced. */
function withSize(bytes: Buffer, size: number) {
  const changed = Buffer.from(bytes);
  const directory = changed.indexOf(Buffer.from('PK\u0001\u0002', 'latin1'));
  changed.writeUInt32LE(size, directory + 24);
  return changed;
}

test('a file that is larger than its zip states ends there, with an error', async () => {
  const lying = withSize(zip({ 'loans.csv': new Uint8Array(20_000_000) }), 1000);
  const [file] = (await opened(lying)).files;
  let read = 0;

  const reading = (async () => {
    for await (const piece of file?.stream() ?? []) read += piece.length;
  })();

  await expect(reading).rejects.toThrow('is damaged');
  expect(read).toBe(0);
});

test('damaged zips are refused, wherever they are damaged', async () => {
  const whole = zip({ 'loans.csv': strToU8('loan_number,status\n'.repeat(50)) });
  for (let length = 4; length < whole.length; length += 1)
    await expect(opened(whole.subarray(0, length)), `${length} bytes`).rejects.toThrow(ZipRefused);
  for (let at = 4; at < whole.length; at += 1) {
    const changed = Buffer.from(whole);
    changed[at] = (changed[at] ?? 0) ^ 0xff;
    const outcome = await opened(changed)
      .then(contentsOf)
      .catch((error: unknown) => {
        if (!(error instanceof ZipRefused)) throw error;
        return error.message;
      });
    const isWhole =
      typeof outcome === 'object' && Object.values(outcome)[0]?.startsWith('loan_number,status\n');
    expect(typeof outcome === 'string' || isWhole, `byte ${at}`).toBe(true);
  }
});

test('an encrypted zip is refused', async () => {
  const bytes = zip({ 'loans.csv': strToU8('x') });
  const directory = bytes.indexOf(Buffer.from('PK\u0001\u0002', 'latin1'));
  bytes.writeUInt16LE(1, directory + 8);

  await expect(opened(bytes)).rejects.toThrow('encrypted');
});

test('a folder is read without following its links', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'book-'));
  try {
    await writeFile(path.join(folder, 'loans.csv'), 'a');
    await mkdir(path.join(folder, 'documents', 'L-1'), { recursive: true });
    await writeFile(path.join(folder, 'documents', 'L-1', 'x.pdf'), 'b');
    await writeFile(path.join(folder, '.hidden'), 'c');
    await symlink('/etc/hostname', path.join(folder, 'link.csv'));
    await symlink('/etc', path.join(folder, 'documents', 'etc'));

    await using tree = await openFileTree(folder);

    expect([tree.kind, await contentsOf(tree)]).toEqual([
      'folder',
      { 'documents/L-1/x.pdf': 'b', 'loans.csv': 'a' },
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a zip and a single file on the disk are told apart by their bytes', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'book-'));
  try {
    await writeFile(path.join(folder, 'loans.csv'), zip({ 'loans.csv': strToU8('inside') }));
    await writeFile(path.join(folder, 'book.zip'), 'a,b');

    await using packed = await openFileTree(path.join(folder, 'loans.csv'));
    await using plain = await openFileTree(path.join(folder, 'book.zip'));

    expect([packed.kind, await contentsOf(packed)]).toEqual(['zip', { 'loans.csv': 'inside' }]);
    expect([plain.kind, await contentsOf(plain)]).toEqual(['file', { 'book.zip': 'a,b' }]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
