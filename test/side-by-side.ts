import { spawn } from 'node:child_process';

/**
 * Runs scripts of package.json in parallel and fails if one of them fails. Prints each script's output when
 * it ends, so that outputs do not mix.
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
