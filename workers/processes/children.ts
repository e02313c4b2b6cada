import { fork, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

export type Child = {
  name: string;
  /** The process of this moment; another one after a crash. */
  pid(): number | undefined;
  /** Ends it well, or after the given time in any case. */
  stop(withinMs: number): Promise<void>;
};

export type ChildSettings = {
  name: string;
  file: string;
  arguments?: readonly string[];
  /** What Node itself is told. */
  flags?: readonly string[];
  /** Its whole environment. */
  env: Record<string, string | undefined>;
  /** Where its output goes, as the number of an open file; beside ours otherwise. */
  output?: number;
  /** What the child said over its channel. */
  onMessage?: (message: unknown) => void;
  /** It ended unasked and will be started again after the pause. */
  onCrash: (crash: { code: number | string; pauseMs: number; lived: number }) => void;
};

/**
 * Whoever reads all files of the API leaves Node with 60 MB for what is young; a limit that it is given at its
 * start is the only one that comes before them.
 */
export const API_PROCESS = {
  name: 'api',
  file: '../api/server.ts',
  flags: ['--max-semi-space-size=4'],
} as const;

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** Whoever lived this long was well: the next crash starts with a short pause again. */
const WELL_AFTER_MS = 60_000;
const WITH_PARENT = new URL('end-with-parent.ts', import.meta.url).href;

/** Starts a process and starts it again whenever it ends unasked, with growing pauses. */
export function superviseProcess(settings: ChildSettings): Child {
  const stopping = new AbortController();
  let child: ChildProcess | undefined;
  const live = async () => {
    for (let pauseMs = FIRST_PAUSE_MS; !stopping.signal.aborted;) {
      const started = performance.now();
      child = start(settings);
      const code = await endOf(child);
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

function start({
  file,
  arguments: words = [],
  flags = [],
  env,
  output,
  onMessage,
}: ChildSettings): ChildProcess {
  const child = fork(new URL(`../${file}`, import.meta.url), [...words], {
    env: { ...compiledBesideData(env), ...env },
    execArgv: [...flags, '--import', WITH_PARENT],
    // Ctrl-C reaches the whole group of a terminal: only the parent decides when a child stops.
    detached: true,
    stdio: ['ignore', output ?? 'inherit', output ?? 'inherit', 'ipc'],
  });
  if (onMessage) child.on('message', onMessage);
  return child;
}

/**
 * What Node has made of our files stays beside the data, where only we write: the next start takes half the
 * time. Whoever keeps it elsewhere says so with Node's own variable.
 */
const compiledBesideData = ({ DATA_DIR }: ChildSettings['env']) =>
  DATA_DIR === undefined ? {} : { NODE_COMPILE_CACHE: path.resolve(DATA_DIR, 'compiled') };

const endOf = (child: ChildProcess) =>
  new Promise<number | string>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'unknown'));
    child.once('error', ({ message }) => resolve(message));
  });

/** Runs a process to its end; an end other than well is an error. */
export async function runToEnd(settings: Omit<ChildSettings, 'onCrash'>): Promise<void> {
  const code = await endOf(start({ ...settings, onCrash: () => {} }));
  if (code !== 0) throw new Error(`${settings.name} ended with ${code}.`);
}
