import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * Runs vitest with the given arguments and runs failed test files a second time. If they pass then, the run
 * succeeds and lists them under "Flaky": they depend on timing or order and need a fix. Errors outside a
 * test file, such as a failed setup, are not retried.
 */
const folder = await mkdtemp(path.join(tmpdir(), 'servicing-results-'));
const options = process.argv.slice(2);
try {
  process.exitCode = await run();
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function run(): Promise<number> {
  const first = await vitest('first.json', []);
  if (first.exitCode === 0 || first.failed.length === 0) return first.exitCode;
  console.log(`\nRunning ${first.failed.length} failed files once more.`);
  const second = await vitest('second.json', first.failed);
  if (second.exitCode !== 0) return second.exitCode;
  const files = first.failed.map((file) => path.relative(process.cwd(), file));
  console.log(`\nFlaky (failed, then passed; fix these next):\n  ${files.join('\n  ')}`);
  return 0;
}

/** Runs vitest and reads from its report which files failed. */
async function vitest(reportName: string, files: string[]) {
  const report = path.join(folder, reportName);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const child = spawn(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', ...options, ...reporters, ...files],
    { stdio: 'inherit' },
  );
  const exitCode = await new Promise<number>((resolve) =>
    child.once('close', (code) => resolve(code ?? 1)),
  );
  const text = await readFile(report, 'utf8').catch(() => '{"testResults":[]}');
  const { testResults } = JSON.parse(text) as { testResults: { name: string; status: string }[] };
  const failed = testResults.filter((file) => file.status === 'failed').map((file) => file.name);
  return { exitCode, failed };
}
