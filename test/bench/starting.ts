import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { POOLS } from '../../jobs/job.ts';
import { API_PROCESS, superviseProcess, type Child } from '../../workers/processes/children.ts';
import { median, printProgress, parseSize, type Bench, type Figure } from './figures.ts';
import { newInstallation } from './installed.ts';
import { openWorld, type BenchWorld } from './world.ts';

const API_WITHIN_MS = 2_000;
const WORKER_WITHIN_MS = 1_000;
const IDLE_MEMORY_MB = 200;
const IDLE_AFTER_MS = 10_000;
const GIVEN_UP_AFTER_MS = 60_000;
const STOP_WITHIN_MS = 30_000;
const LOOK_MS = 5;
/** Linux counts CPU time in hundredths of a second. */
const TICK_MS = 10;

/**
 * How long a process takes to start, how much memory it uses at rest, and the size of the installed
 * packages, each compared with a limit.
 */
export const benchStartup: Bench = async (words) => {
  const rounds = parseSize(words, { usual: 3, least: 1 });
  const world = await openWorld();
  const figures: Figure[] = [];
  for (const each of processesOf(world)) {
    printProgress(`Starting ${each.name}, ${rounds} times …`);
    const runs: StartResult[] = [];
    for (let round = 1; round <= rounds; round += 1)
      runs.push(await measureStart(each, round === rounds));
    figures.push(...formatFigures(each, runs));
  }
  await world.close();
  const { shipped, all } = newInstallation();
  return [
    ...figures,
    memoryFigure('packages installed for production, beside all of them', shipped, all),
  ];
};

const inSeconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`;
const inMb = (mb: number) => `${Math.round(mb)} MB`;

function formatFigures(
  { name, served, within_ms }: Process,
  runs: readonly StartResult[],
): Figure[] {
  const ms = median(runs.map((run) => run.ms));
  const used = median(runs.map(({ used_ms }) => used_ms));
  const held = runs.at(-1)?.held_mb ?? null;
  return [
    {
      what: `${name}: ${served}`,
      ours: `${inSeconds(ms)}, ${inSeconds(used)} of processor`,
      floor: inSeconds(within_ms),
      ratio: ms / within_ms,
      target: { most: 1 },
    },
    ...(held === null
      ? []
      : [memoryFigure(`${name}: memory after ten seconds of rest`, held, IDLE_MEMORY_MB)]),
  ];
}

const memoryFigure = (what: string, mb: number, bound: number): Figure => ({
  what,
  ours: inMb(mb),
  floor: inMb(bound),
  ratio: mb / bound,
  target: { most: 1 },
});

type Process = {
  name: string;
  served: string;
  within_ms: number;
  start: (onCrash: (code: number | string) => void) => {
    child: Child;
    serves: () => Promise<boolean>;
  };
};

/** The processes as `npm start` starts them, on a migrated database. */
function processesOf({ url, folder, admin }: BenchWorld): Process[] {
  const env = {
    ...process.env,
    DATABASE_URL: url,
    DATA_DIR: folder,
    LOG_LEVEL: 'error',
    PORT: '0',
    METRICS_PORT: undefined,
  };
  const api: Process = {
    name: 'the API',
    served: 'from its start until /readyz says yes',
    within_ms: API_WITHIN_MS,
    start: (onCrash) => {
      let port: number | undefined;
      const child = superviseProcess({
        ...API_PROCESS,
        env,
        onCrash: ({ code }) => onCrash(code),
        onMessage: (message) =>
          void (port ??= (
            message as {
              listening?: number;
            }
          ).listening),
      });
      const serves = async () =>
        port !== undefined && (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
      return { child, serves };
    },
  };
  const workers = POOLS.map((pool): Process => ({
    name: `a worker of ${pool}`,
    served: 'from its start until it fetches jobs',
    within_ms: WORKER_WITHIN_MS,
    start: (onCrash) => {
      const child = superviseProcess({
        name: pool,
        file: 'worker.ts',
        arguments: [pool],
        env,
        onCrash: ({ code }) => onCrash(code),
      });
      const serves = async () =>
        (await admin.query('select from app.worker_pools where name = $1', [pool])).rowCount === 1;
      return { child, serves };
    },
  }));
  return [api, ...workers];
}

type StartResult = { ms: number; used_ms: number; held_mb: number | null };

async function measureStart({ name, start }: Process, rests: boolean): Promise<StartResult> {
  const crashed = Promise.withResolvers<never>();
  crashed.promise.catch(() => {});
  const started = performance.now();
  const { child, serves } = start((code) =>
    crashed.reject(new Error(`${name} ended with ${code} before it served.`)),
  );
  try {
    await Promise.race([waitUntil(serves, name), crashed.promise]);
    const ms = performance.now() - started;
    const used_ms = cpuTimeMsOf(child.pid());
    if (rests) await Promise.race([pause(IDLE_AFTER_MS), crashed.promise]);
    return { ms, used_ms, held_mb: rests ? residentMbOf(child.pid()) : null };
  } finally {
    await child.stop(STOP_WITHIN_MS);
  }
}

async function waitUntil(isSo: () => Promise<boolean>, name: string) {
  const started = performance.now();
  while (!(await isSo())) {
    if (performance.now() - started > GIVEN_UP_AFTER_MS)
      throw new Error(`${name} does not serve after ${GIVEN_UP_AFTER_MS / 1_000} seconds.`);
    await pause(LOOK_MS);
  }
}

/** CPU time in ms (user and system), which does not depend on other load of the machine. */
function cpuTimeMsOf(pid: number | undefined): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return Number.NaN;
  }
}

/** Resident memory in MB. Null on systems without /proc, which is specific to Linux. */
function residentMbOf(pid: number | undefined): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1024;
  } catch {
    return null;
  }
}
