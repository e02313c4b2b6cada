import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runToEnd } from '../../workers/processes/children.ts';

test('Node’s compile cache is next to the process’s data, for the next start', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'children-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { NODE_COMPILE_CACHE: _, ...environment } = process.env;
  // A worker of no pool ends as soon as its file is loaded.
  const worker = { name: 'worker', file: 'worker.ts', arguments: ['none'] };
  const env = { ...environment, DATA_DIR: folder };

  await expect(runToEnd({ ...worker, env })).rejects.toThrow('worker ended with 2');

  const [version = ''] = readdirSync(path.join(folder, 'compiled'));
  expect(readdirSync(path.join(folder, 'compiled', version)).length).toBeGreaterThan(100);
});
