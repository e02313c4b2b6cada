import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runToEnd } from '../../workers/processes/children.ts';

test('what Node makes of the files of a process stays beside its data, for the next start', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'children-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { NODE_COMPILE_CACHE: _, ...environment } = process.env;
  // A worker of no pool ends as soon as it has been read.
  const worker = { name: 'worker', file: 'worker.ts', arguments: ['none'] };
  const env = { ...environment, DATA_DIR: folder };

  await expect(runToEnd({ ...worker, env })).rejects.toThrow('worker ended with 2');

  const [version = ''] = readdirSync(path.join(folder, 'compiled'));
  expect(readdirSync(path.join(folder, 'compiled', version)).length).toBeGreaterThan(100);
});

test('the space for what is young stays small, however much comes and goes', () => {
  const youngAfter = (first: string) =>
    Number(
      execFileSync(process.execPath, ['--input-type=module', '-e', `${first}; ${COMES_AND_GOES}`]),
    );

  expect(youngAfter(`await import(${JSON.stringify(YOUNG_SPACE)})`)).toBeLessThan(4_000_000);
  expect(youngAfter('')).toBeGreaterThan(8_000_000);
});

const YOUNG_SPACE = new URL('../../jobs/young-space.ts', import.meta.url).href;

/** Prints the bytes of that space after much was kept for a moment. */
const COMES_AND_GOES = `
  import v8 from 'node:v8';
  let kept = [];
  for (let at = 0; at < 3_000_000; at += 1) {
    kept.push({ at });
    if (kept.length > 200_000) kept = [];
  }
  const spaces = v8.getHeapSpaceStatistics();
  console.log(spaces.find((space) => space.space_name === 'new_space').space_size);`;
