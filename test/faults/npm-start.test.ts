import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';

const ROOT = new URL('../..', import.meta.url).pathname;
/** In the environment of every process that `npm start` starts, even if its parent ends. */
const MARK = `STARTED_BY_TEST=${process.pid}`;
const folders: string[] = [];
afterEach(() => {
  for (const pid of markedProcesses()) process.kill(pid, 'SIGKILL');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Every living process that has the mark: npm, the shell, our processes, Postgres and its supervisor. */
function markedProcesses(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => readIfExists(`/proc/${pid}/environ`).split('\0').includes(MARK))
    .map(Number);
}

function readIfExists(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

const commandOf = (pid: number) => readIfExists(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
const named = (word: string) => markedProcesses().filter((pid) => commandOf(pid).includes(word));

async function startAll(): Promise<{ npm: ChildProcess; ended: Promise<unknown> }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'npm-start-'));
  folders.push(folder);
  const [name = '', value] = MARK.split('=');
  const npm = spawn('npm', ['start'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: { ...process.env, [name]: value, PORT: '0', DATA_DIR: folder },
  });
  let output = '';
  npm.stdout.on('data', (chunk: Buffer) => void (output += chunk.toString()));
  npm.stderr.on('data', (chunk: Buffer) => void (output += chunk.toString()));
  const ended = new Promise((resolve) => {
    npm.once('exit', (code, signal) => resolve(code ?? signal));
  });
  for (let waited = 0; !output.includes('Ctrl-C stops everything'); waited += 100) {
    if (npm.exitCode !== null || waited > 90_000) throw new Error(`It did not start: ${output}`);
    await wait(100);
  }
  return { npm, ended };
}

/** The processes that remain after at most this time. */
async function remainingProcesses(withinMs: number): Promise<string[]> {
  for (let waited = 0; markedProcesses().length > 0 && waited < withinMs; waited += 100)
    await wait(100);
  return markedProcesses().map(commandOf);
}

test('two signals to npm start leave none of its processes running', async () => {
  const { npm, ended } = await startAll();
  const everything = ['api/server.ts', 'worker.ts ledger', 'bin/postgres', 'guardian.ts'];
  expect(everything.filter((word) => named(word).length === 0)).toEqual([]);

  npm.kill('SIGTERM');
  await wait(200);
  npm.kill('SIGTERM');
  for (const pid of named('workers/start.ts')) process.kill(pid, 'SIGINT');
  await ended;

  expect(await remainingProcesses(30_000)).toEqual([]);
}, 180_000);

test('the processes of a killed npm start end on their own', async () => {
  await startAll();

  for (const pid of named('node workers/start.ts')) process.kill(pid, 'SIGKILL');

  expect(await remainingProcesses(30_000)).toEqual([]);
}, 180_000);
