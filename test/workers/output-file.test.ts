import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readOptions } from '../../workers/demo/options.ts';
import { findNearestWord } from '../../jobs/nearest-word.ts';
import { makeParentFolder, outputFileProblem } from '../../workers/processes/output-file.ts';
import { COMPILE_CACHE_ENV } from '../setup/processes.ts';

function newFolder() {
  const folder = mkdtempSync(path.join(tmpdir(), 'output-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('missing folders for a file are created', () => {
  const file = path.join(newFolder(), 'a', 'b', 'summary.json');

  const read = readOptions(['--summary', file]);
  makeParentFolder(file);

  expect(read.summary).toBe(file);
  expect(existsSync(path.dirname(file))).toBe(true);
});

test('a path where no file can be written is refused before the work starts', () => {
  const folder = newFolder();
  const file = path.join(folder, 'taken');
  writeFileSync(file, '');

  expect(outputFileProblem('--summary', folder)).toContain('is a folder');
  expect(() => readOptions(['--summary', path.join(file, 'summary.json')])).toThrow(
    /--summary: .*taken is not a folder/,
  );
  expect(() => readOptions(['--out', file])).toThrow(/--out: .*taken is not a folder/);
});

test('an unknown operation is refused with the nearest one and the list', () => {
  const env = { PATH: process.env['PATH'], ...COMPILE_CACHE_ENV };

  const { status, stderr } = spawnSync(process.execPath, ['workers/ops.ts', 'statsu'], { env });

  expect(status).toBe(2);
  expect(String(stderr)).toContain('There is no operation "statsu". Did you mean "status"?');
  expect(String(stderr)).toContain('create-tenant');
  expect(findNearestWord('nosuch', ['status', 'pools'])).toBeUndefined();
});
