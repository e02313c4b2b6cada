import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { isStorageKey, safeFilename, storageKey } from '../../jobs/files/keys.ts';
import { readLink } from '../../jobs/files/links.ts';
import { localFiles } from '../../jobs/files/local-files.ts';

const secret = 's'.repeat(32);
const loan_id = '0190f0f0-0000-7000-8000-000000000001';
const key = `demo/${loan_id}/monthly_statement/2026-03.pdf`;

async function* pieces() {
  for (let piece = 0; piece < 64; piece += 1) yield Buffer.alloc(65_536, piece);
}

async function* broken() {
  yield Buffer.from('half');
  throw new Error('The upload broke off.');
}

async function store() {
  const folder = await mkdtemp(join(tmpdir(), 'files-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return { folder, files: localFiles({ folder, secret }) };
}

test('a stored file exists with its size and hash', async () => {
  const { folder, files } = await store();
  const bytes = Buffer.from('%PDF-1.7');

  const stored = await files.put(key, bytes);

  const sha256_hash = createHash('sha256').update(bytes).digest('hex');
  const streamed = await (await files.stream(key))?.toArray();
  expect(stored).toEqual({ key, size: 8, sha256_hash });
  expect(await files.describe(key)).toEqual(stored);
  expect(await files.get(key)).toEqual(bytes);
  expect(Buffer.concat(streamed ?? [])).toEqual(bytes);
  expect(await readFile(join(folder, key))).toEqual(bytes);
});

test('a large file is read in pieces', async () => {
  const { files } = await store();
  const stored = await files.put(key, pieces());

  expect(stored.size).toBe(64 * 65_536);
  expect(await files.describe(key)).toEqual(stored);
});

test('an interrupted upload keeps the old file and nothing else', async () => {
  const { folder, files } = await store();
  await files.put(key, Buffer.from('old'));

  await expect(files.put(key, broken())).rejects.toThrow('broke off');

  expect(await files.get(key)).toEqual(Buffer.from('old'));
  expect(await readdir(join(folder, key, '..'))).toEqual(['2026-03.pdf']);
});

test('a write-once file cannot be overwritten', async () => {
  const { folder, files } = await store();
  await files.put(key, Buffer.from('first'), { once: true });

  const second = files.put(key, Buffer.from('second'), { once: true });

  await expect(second).rejects.toMatchObject({ code: 'EEXIST' });
  expect(await files.get(key)).toEqual(Buffer.from('first'));
  expect(await readdir(join(folder, key, '..'))).toEqual(['2026-03.pdf']);
});

test('reading a missing file returns null, and removing it succeeds', async () => {
  const { files } = await store();

  await files.remove(key);

  expect(await files.get(key)).toBeNull();
  expect(await files.stream(key)).toBeNull();
  expect(await files.describe(key)).toBeNull();
});

test('symbolic links in the store are not followed', async () => {
  const { folder, files } = await store();
  const outside = await mkdtemp(join(tmpdir(), 'outside-'));
  onTestFinished(() => rm(outside, { recursive: true }));
  await writeFile(join(outside, 'secret.pdf'), 'secret');
  await mkdir(join(folder, 'demo', loan_id, 'title'), { recursive: true });
  await symlink(join(outside, 'secret.pdf'), join(folder, 'demo', loan_id, 'title', 'a.pdf'));
  await symlink(outside, join(folder, 'demo', loan_id, 'other'));
  await mkdir(join(folder, 'acme'));
  await symlink(join(folder, 'demo', loan_id), join(folder, 'acme', loan_id));

  const answers = await Promise.allSettled([
    files.get(`demo/${loan_id}/title/a.pdf`),
    files.get(`demo/${loan_id}/other/secret.pdf`),
    files.put(`acme/${loan_id}/title/b.pdf`, Buffer.from('x')),
  ]);

  expect(answers).toMatchObject([
    { status: 'rejected', reason: { code: 'ELOOP' } },
    { status: 'rejected', reason: { message: 'The file is outside the document store.' } },
    { status: 'rejected', reason: { message: 'The file is behind a symbolic link.' } },
  ]);
});

test.each([
  ['../../x', 'x'],
  ['..\\x', 'x'],
  ['/etc/passwd', 'passwd'],
  ['C:\\x', 'x'],
  ['a/b.pdf', 'b.pdf'],
  ['%2e%2e%2f', '_2e_2e_2f'],
  ['．．／', 'document'],
  ['a\u0000b\n.pdf', 'a_b_.pdf'],
  ['.', 'document'],
  ['..', 'document'],
  ['', 'document'],
  ['CON', '_CON'],
  ['nul.txt', '_nul.txt'],
  ['x\u202efdp.exe', 'x_fdp.exe'],
  ['x.pdf/', 'x.pdf'],
  ['Nómina março.pdf', 'Nomina marco.pdf'],
])('a file named %j is stored as %s', (filename, name) => {
  const safe = safeFilename(filename);

  expect(safe).toBe(name);
});

test('every name is turned into a safe one, which stays the same from then on', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (filename) => {
      const made = storageKey({ tenant_slug: 'demo', loan_id, document_type: 'other', filename });

      const name = made.slice(`demo/${loan_id}/other/`.length);

      expect(name).toMatch(/^[A-Za-z0-9._ -]{1,121}$/);
      expect(safeFilename(name)).toBe(name);
      expect(isStorageKey(made)).toBe(true);
    }),
  );
});

test('unsafe folders of a key are an error, not corrected', async () => {
  const { files } = await store();
  const parts = { tenant_slug: 'demo', loan_id, document_type: '../other', filename: 'a.pdf' };

  const make = () => storageKey(parts);
  const get = files.get('demo/../acme/title/a.pdf');

  expect(make).toThrow('plain names');
  await expect(get).rejects.toThrow('not a storage key');
});

test('a link is valid for its own key and method until it expires', async () => {
  const { files } = await store();
  const link = {
    key,
    method: 'PUT' as const,
    content_type: 'application/pdf',
    expires_at: new Date('2026-03-31T12:15:00Z'),
  };

  const url = await files.presign(link);

  const token = url.slice('/api/v1/storage/upload/'.length);
  const [before, after] = [new Date('2026-03-31T12:14:59Z'), new Date('2026-03-31T12:15:00Z')];
  const changed = `${token.startsWith('a') ? 'b' : 'a'}${token.slice(1)}`;
  expect(url.startsWith('/api/v1/storage/upload/')).toBe(true);
  expect(readLink(token, 'PUT', secret, before)).toEqual(link);
  expect(readLink(token, 'PUT', secret, after)).toBeNull();
  expect(readLink(token, 'GET', secret, before)).toBeNull();
  expect(readLink(token, 'PUT', 'x'.repeat(32), before)).toBeNull();
  expect(readLink(changed, 'PUT', secret, before)).toBeNull();
  expect(readLink(`${token}.`, 'PUT', secret, before)).toBeNull();
  for (const last of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_') {
    const other = token.slice(0, -1) + last;
    if (other !== token) expect(readLink(other, 'PUT', secret, before)).toBeNull();
  }
  expect(readLink('', 'PUT', secret, before)).toBeNull();
});
