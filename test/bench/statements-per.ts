import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FILE = 'test/api/trips.test.ts';

/** Prints what each act asks of the database, and how often it waits; the test there holds the same. */
export async function statementsPer() {
  const words = ['vitest', 'run', '--config', 'test/vitest.config.ts', FILE];
  const child = spawn('npx', words, {
    cwd: ROOT,
    env: { ...process.env, PRINT: '1', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (part: Buffer) => (output += part.toString()));
  const code = await new Promise((resolve) => child.once('exit', resolve));
  const table = output.split('\n').filter((line) => line.startsWith('|'));
  console.log(code === 0 ? table.join('\n') : output);
}
