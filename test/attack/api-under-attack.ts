import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { SerializedError } from '../../jobs/monitoring/serialize-error.ts';
import type { Spike, LoopReport } from './event-loop-watch.ts';

type Logged = { level?: number; request_id?: string; err?: SerializedError };

const ROOT = new URL('../..', import.meta.url);
const PRELOADS = ['test/attack/event-loop-watch.ts', 'workers/processes/end-with-parent.ts'];

/**
 * The API as in production, in its own process so that its event loop is measured without the attacker's
 * work. Its log is searched line by line for canaries and faults.
 */
export async function startApiUnderAttack(
  { url, secret, folder }: { url: string; secret: string; folder: string },
  canaries: ReadonlySet<string>,
) {
  const preloads = PRELOADS.flatMap((file) => ['--import', new URL(file, ROOT).href]);
  const child = spawn(process.execPath, [...preloads, new URL('api/server.ts', ROOT).pathname], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: url,
      SECRET: secret,
      DATA_DIR: folder,
      PORT: '0',
      HOST: '127.0.0.1',
      NODE_ENV: 'test',
      LOG_LEVEL: 'info',
      // Lets each request claim its own address, so that no throttle ends the attack.
      TRUSTED_PROXIES: '127.0.0.1',
    },
  });
  const faults = new Map<string, string>();
  const leaks = new Set<string>();
  const spikes: Spike[] = [];
  let lines = 0;
  const read = (line: string) => {
    lines += 1;
    for (const canary of canaries) if (line.includes(canary)) leaks.add(`${canary}: ${line}`);
    if (!line.startsWith('{')) faults.set(`stderr ${faults.size}`, line);
    else if (!line.startsWith('{"level":30')) recordFault(faults, JSON.parse(line) as Logged);
  };
  for (const stream of [child.stdout, child.stderr])
    if (stream) createInterface({ input: stream }).on('line', read);
  let answer: (told: LoopReport) => void = () => {};
  const port = await new Promise<number>((resolve, reject) => {
    child.on('message', (message: { listening?: number; told?: LoopReport; spike?: Spike }) => {
      if (message.listening) resolve(message.listening);
      if (message.told) answer(message.told);
      if (message.spike) spikes.push(message.spike);
    });
    child.once('exit', (code) => reject(new Error(`The API ended: ${code} ${[...faults]}`)));
  });
  return {
    port,
    faults,
    leaks,
    spikes,
    lines: () => lines,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    /** The event loop's figures since the previous report. */
    report: () =>
      new Promise<LoopReport>((resolve) => {
        answer = resolve;
        child.send('report');
      }),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
export type ApiUnderAttack = Awaited<ReturnType<typeof startApiUnderAttack>>;

const OUR_FRAME = /^at .*\/(api|jobs|sql|templates)\//;

/** Keeps the message and our first stack frames. Several requests may have the same id. */
function recordFault(faults: Map<string, string>, { level = 0, request_id = '', err }: Logged) {
  const ours = (err?.stack ?? []).filter((frame) => OUR_FRAME.test(frame)).slice(0, 4);
  const told = [`${err?.type ?? ''} ${err?.message ?? ''}`.trim(), ...ours].join(' | ');
  if (level >= 40) faults.set(request_id || `unasked ${faults.size}`, told);
}
