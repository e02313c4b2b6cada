import { spawn, type ChildProcess } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const ROOT = new URL('../..', import.meta.url);
const WITH_PARENT = new URL('workers/processes/end-with-parent.ts', ROOT).href;

/** Each process loads the whole program, so they share one compile cache. */
export const COMPILE_CACHE_ENV = { NODE_COMPILE_CACHE: path.join(tmpdir(), 'servicing-compiled') };

/** One of our processes as it runs in production. */
export type StartedProcess = {
  process: ChildProcess;
  said: () => string;
  /** The exit code, or the signal that ended the process. */
  ended: Promise<number | string>;
  /** The API's port once it listens. Rejects if the process ends first. */
  listening: Promise<number>;
};

/** Starts one of our files with this environment and none of the test's own variables. */
export function startProcess(
  file: string,
  words: readonly string[],
  env: Record<string, string>,
): StartedProcess {
  // With an IPC channel, so that no process outlives an aborted test run.
  const child = spawn(
    process.execPath,
    ['--import', WITH_PARENT, new URL(file, ROOT).pathname, ...words],
    {
      cwd: ROOT.pathname,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { PATH: process.env['PATH'] ?? '', PORT: '0', ...COMPILE_CACHE_ENV, ...env },
    },
  );
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => void (text += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => void (text += chunk.toString()));
  const ended = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
  const listening = new Promise<number>((resolve, reject) => {
    child.on('message', (message) => resolve((message as { listening: number }).listening));
    void ended.then((code) => reject(new Error(`It ended with ${code}: ${text}`)));
  });
  // Not every test awaits it.
  listening.catch(() => {});
  return { process: child, said: () => text, ended, listening };
}

/** Waits until the process has printed the text. On failure, the error contains its actual output. */
export async function waitForOutput(
  { process: child, said }: StartedProcess,
  words: RegExp,
  withinMs = 40_000,
) {
  for (const start = performance.now(); !words.test(said()); await wait(50)) {
    if (child.exitCode !== null || performance.now() - start > withinMs)
      throw new Error(`${words} was not said: ${said()}`);
  }
}
