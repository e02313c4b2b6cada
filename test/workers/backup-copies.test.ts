import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { copyVerified, copyFile, assertPathInside } from '../../workers/backups/copy.ts';
import { assertBackupFolder, makePrivateFolder } from '../../workers/backups/private-folder.ts';

const root = mkdtempSync(path.join(os.tmpdir(), 'copies-'));
afterAll(() => rmSync(root, { recursive: true }));
const [backup, into] = [path.join(root, 'backup'), path.join(root, 'into')];
mkdirSync(path.join(backup, 'files'), { recursive: true });
const secret = path.join(root, 'secret');
for (const file of [secret, path.join(backup, 'files', 'a.pdf'), path.join(backup, '..hidden')])
  writeFileSync(file, 'x');
symlinkSync(secret, path.join(backup, 'link'));
symlinkSync(root, path.join(backup, 'folder'));
execFileSync('mkfifo', [path.join(backup, 'pipe')]);

const sha256 = createHash('sha256').update('x').digest('hex');
const restore = (name: string) => copyVerified(backup, into, [{ path: name, bytes: 1, sha256 }]);
const modeOf = (file: string) => statSync(file).mode & 0o777;

test.each([
  ['link', 'is not a plain file'],
  ['folder/secret', 'is reached through a link'],
  ['pipe', 'is not a plain file'],
  ['files', 'is not a plain file'],
  ['../secret', 'outside the backup'],
  ['files/../../secret', 'outside the backup'],
  [secret, 'outside the backup'],
  ['files/gone.pdf', 'is missing'],
])('a restore does not copy %s', async (name, why) => {
  await expect(restore(name)).rejects.toThrow(why);
});

test('a restore copies every file of the backup, with any file name', async () => {
  await restore('files/a.pdf');
  await restore('..hidden');

  expect(readFileSync(path.join(into, 'files', 'a.pdf'), 'utf8')).toBe('x');
  expect(readFileSync(path.join(into, '..hidden'), 'utf8')).toBe('x');
});

test('a folder named in a manifest must be inside the data folder', () => {
  expect(assertPathInside('base/1/..2')).toBe('base/1/..2');
  for (const name of ['../outside', 'base/../../outside', '/outside'])
    expect(() => assertPathInside(name)).toThrow('outside the backup');
});

test('a copy is readable only by its owner, even if another file was in its place', async () => {
  const to = path.join(into, 'copy');
  mkdirSync(into, { recursive: true });
  writeFileSync(`${to}.copying`, '');
  chmodSync(`${to}.copying`, 0o666);
  await copyFile(secret, to);
  // A copy that follows this link would overwrite its target.
  symlinkSync(secret, `${to}.copying`);
  await copyFile(path.join(backup, 'files', 'a.pdf'), to);

  expect(modeOf(to)).toBe(0o600);
  expect(statSync(to).isFile()).toBe(true);
});

test('a backup restricts access to its folder, and refuses a folder with other contents', () => {
  const open = path.join(root, 'open');
  mkdirSync(open);
  chmodSync(open, 0o755);
  assertBackupFolder(open);
  makePrivateFolder(open);
  writeFileSync(path.join(open, 'manifest.json'), '{}');
  assertBackupFolder(open);
  writeFileSync(path.join(open, 'notes.txt'), '');

  expect(modeOf(open)).toBe(0o700);
  expect(() => assertBackupFolder(open)).toThrow('contains other files (notes.txt)');
});
