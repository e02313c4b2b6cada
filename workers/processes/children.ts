import { fork, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

export type Child = {
  name: string;
  /** The id of the current process. It changes after a crash. */
  pid(): number | undefined;
  /** Stops the process gracefully, and kills it after the given time. */
  stop(withinMs: number): Promise<void>;
};

export type ChildSettings = {
  name: string;
  file: string;
  arguments?: readonly string[];
  /** Options for Node. */
  flags?: readonly string[];
  /** The complete environment of the process. */
  env: Record<string, string | undefined>;
  /** The file descriptor for its output. Default: the output of this process. */
  output?: number;
  /** Called for each message of the process. */
  onMessage?: (message: unknown) => void;
  /** Called when the process has crashed. It starts again after the pause. */
  onCrash: (crash: { code: number | string; pauseMs: number; lived: number }) => void;
};

/**
 * Loading the API's files grows V8's young generation to 60 MB, and it stays that large. The limit saves
 * about 45 MB. It only works as a command-line flag, because it must be set before the files are loaded.
 */
export const API_PROCESS = {
  name: 'api',
  file: '../api/server.ts',
  flags: ['--max-semi-space-size=4'],
} as const;

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** If the process ran this long, the next restart is quick again. */
const WELL_AFTER_MS = 60_000;
const WITH_PARENT = new URL('end-with-parent.ts', import.meta.url).href;

/** Starts a process and restarts it after each crash, with growing pauses. */
export function superviseProcess(settings: ChildSettings): Child {
  const stopping = new AbortController();
  let child: ChildProcess | undefined;
  const live = async () => {
    for (let pauseMs = FIRST_PAUSE_MS; !stopping.signal.aborted;) {
      const started = performance.now();
      child = forkChild(settings);
      const code = await waitForExit(child);
      child = undefined;
      if (stopping.signal.aborted) return;
      const lived = performance.now() - started;
      if (lived > WELL_AFTER_MS) pauseMs = FIRST_PAUSE_MS;
      settings.onCrash({ code, pauseMs, lived });
      await wait(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  };
  const ended = live();
  return {
    name: settings.name,
    pid: () => child?.pid,
    stop: async (withinMs) => {
      stopping.abort();
      child?.kill('SIGTERM');
      const late = setTimeout(() => child?.kill('SIGKILL'), withinMs);
      await ended;
      clearTimeout(late);
    },
  };
}

function forkChild({
  file,
  arguments: words = [],
  flags = [],
  env,
  output,
  onMessage,
}: ChildSettings): ChildProcess {
  const child = fork(new URL(`../${file}`, import.meta.url), [...words], {
    env: { ...compileCacheEnv(env), ...env },
    execArgv: [...flags, '--import', WITH_PARENT],
    // Keeps Ctrl-C in a terminal from reaching the child. Only the parent decides when it stops.
    detached: true,
    stdio: ['ignore', output ?? 'inherit', output ?? 'inherit', 'ipc'],
  });
  if (onMessage) child.on('message', onMessage);
  return child;
}

/**
 * Keeps Node's compile cache in DATA_DIR, which only we can write to. The next start takes half the time.
 * Set NODE_COMPILE_CACHE to use another folder.
 */
const compileCacheEnv = ({ DATA_DIR }: ChildSettings['env']) =>
  DATA_DIR === undefined ? {} : { NODE_COMPILE_CACHE: path.resolve(DATA_DIR, 'compiled') };

const waitForExit = (child: ChildProcess) =>
  new Promise<number | string>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'unknown'));
    child.once('error', ({ message }) => resolve(message));
  });

/** Runs a process until it ends. Throws if its exit code is not 0. */
export async function runToEnd(settings: Omit<ChildSettings, 'onCrash'>): Promise<void> {
  const code = await waitForExit(forkChild({ ...settings, onCrash: () => {} }));
  if (code !== 0) throw new Error(`${settings.name} ended with ${code}.`);
}
