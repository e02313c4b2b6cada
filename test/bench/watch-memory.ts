import { readdirSync, readFileSync } from 'node:fs';

const EVERY_MS = 1_000;
const PARTS = 10;

type Sample = { done: number; at: number; worker: number; browser: number };

/** What a worker and the browser that it started hold of memory (their own share of it), over time. */
export function watchMemory(pidOf: () => number | undefined) {
  const samples: Sample[] = [];
  const started = performance.now();
  let done = 0;
  const timer = setInterval(() => {
    const pid = pidOf();
    if (pid === undefined) return;
    const found = memoryOf(pid);
    if (found) samples.push({ done, at: performance.now() - started, ...found });
  }, EVERY_MS);
  return {
    /** How many documents there are by now. */
    note: (count: number) => void (done = count),
    stop: () => clearInterval(timer),
    show: () => show(samples),
  };
}

/** In MB; nothing where the system does not tell (it is Linux that has /proc). */
function memoryOf(pid: number): Pick<Sample, 'worker' | 'browser'> | null {
  try {
    const children = childrenOf();
    const below = (parent: number): number[] =>
      (children.get(parent) ?? []).flatMap((child) => [child, ...below(child)]);
    const browser = below(pid).reduce((sum, child) => sum + shareOf(child), 0);
    return { worker: shareOf(pid), browser };
  } catch {
    return null;
  }
}

function childrenOf(): Map<number, number[]> {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const parent = parentOf(name);
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  return children;
}

function parentOf(pid: string): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return null;
  }
}

/** Pages that processes share are counted for each by its part. */
function shareOf(pid: number): number {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

function show(samples: readonly Sample[]) {
  const last = samples.at(-1);
  if (!last) return console.log('memory: this system does not tell');
  console.log('documents   a second   worker MB   browser MB');
  for (let part = 0; part < PARTS; part += 1) {
    const within = samples.filter(
      ({ at }) => at > (last.at * part) / PARTS && at <= (last.at * (part + 1)) / PARTS,
    );
    const [first, end] = [within[0], within.at(-1)];
    if (!first || !end) continue;
    const rate = ((end.done - first.done) / Math.max(end.at - first.at, 1)) * 1000;
    const cells = [end.done, rate, median(within, 'worker'), median(within, 'browser')];
    const [documents = 0, ...others] = cells;
    console.log(
      [String(documents).padStart(9), ...others.map((cell) => cell.toFixed(1).padStart(12))].join(
        '',
      ),
    );
  }
}

const median = (samples: readonly Sample[], of: 'worker' | 'browser') =>
  samples.map((sample) => sample[of]).toSorted((one, other) => one - other)[
    Math.floor(samples.length / 2)
  ] ?? 0;
