import { spawn } from 'node:child_process';

/**
 * Runs scripts of package.json beside one another, and fails when one of them fails. What each prints
 * is shown when it has ended, so that nothing is mixed.
 */
async function passes(script: string): Promise<boolean> {
  const child = spawn(process.execPath, ['--run', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const code = await new Promise((resolve) => child.once('close', resolve));
  console.log(`${code === 0 ? 'passed' : 'FAILED'}: ${script}`);
  if (output.trim() !== '') console.log(output.trimEnd());
  return code === 0;
}

const passed = await Promise.all(process.argv.slice(2).map(passes));
process.exitCode = passed.every(Boolean) ? 0 : 1;
