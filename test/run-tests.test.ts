import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SLOW_FILES } from './slow-files-first.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'servicing-run-tests-'));
  const config = { test: { root: folder, include: ['*.test.mjs'], globals: true } };
  write('vitest.config.mjs', `export default ${JSON.stringify(config)};`);
  write('sound.test.mjs', `test('is sound', () => {});`);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);

function runTests() {
  const config = path.join(folder, 'vitest.config.mjs');
  const env = { ...process.env, VITEST: undefined, VITEST_WORKER_ID: undefined };
  const { status, stdout } = spawnSync(
    process.execPath,
    ['test/run-tests.ts', '--config', config],
    { encoding: 'utf8', env },
  );
  return { status, stdout };
}

test('a file that fails and then passes is reported as flaky, and the run succeeds', () => {
  write(
    'flaky.test.mjs',
    `import { existsSync, writeFileSync } from 'node:fs';
     const mark = new URL('ran-once', import.meta.url);
     test('passes the second time', () => {
       const ranOnce = existsSync(mark);
       writeFileSync(mark, '');
       expect(ranOnce).toBe(true);
     });`,
  );

  const { status, stdout } = runTests();

  expect(stdout.split('Flaky (').at(-1)).toContain('flaky.test.mjs');
  expect(status).toBe(0);
});

test('a file that fails twice fails the run', () => {
  write('broken.test.mjs', `test('fails', () => expect(1).toBe(2));`);

  const { status, stdout } = runTests();

  expect(status).toBe(1);
  expect(stdout).not.toContain('Flaky (');
});

test.each(SLOW_FILES)('%s, which starts first, exists', (file) => {
  expect(existsSync(file)).toBe(true);
});
