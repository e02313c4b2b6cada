import { readdirSync, readFileSync } from 'node:fs';
import { median, type Figure } from './figures.ts';

const SAMPLE_INTERVAL_MS = 1_000;

type Sample = { worker: number; browser: number };

/** Memory of a worker and of the browser that it started over time (proportional set size). */
export function watchMemory(pidOf: () => number | undefined) {
  const samples: Sample[] = [];
  const timer = setInterval(() => {
    const pid = pidOf();
    if (pid === undefined) return;
    const found = memoryOf(pid);
    if (found) samples.push(found);
  }, SAMPLE_INTERVAL_MS);
  return {
    stop: () => clearInterval(timer),
    figures: () => figuresOf(samples),
  };
}

/** In MB. Null on systems without /proc, which is specific to Linux. */
function memoryOf(pid: number): Sample | null {
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

/** Shared pages count proportionally for each process. */
function shareOf(pid: number): number {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/**
 * Compares the last third of the run with the second, when everything is loaded. A leak shows only after
 * many documents.
 */
function figuresOf(samples: readonly Sample[]): Figure[] {
  const third = Math.floor(samples.length / 3);
  if (third === 0) return [];
  return (['worker', 'browser'] as const).map((of) => {
    const held = (part: readonly Sample[]) => median(part.map((sample) => sample[of]));
    const [late, early] = [held(samples.slice(-third)), held(samples.slice(-2 * third, -third))];
    return {
      what: `memory of the ${of} in the last third of the time; in the third before`,
      ours: `${Math.round(late)} MB`,
      floor: `${Math.round(early)} MB`,
      ratio: late / early,
    };
  });
}
