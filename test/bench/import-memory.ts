import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { writeLargeBook } from '../setup/large-books.ts';
import { startProcess } from '../setup/processes.ts';
import { parseSize, printProgress, type Bench } from './figures.ts';
import { formatCount } from './timing.ts';
import { DAY, openWorld, type BenchWorld } from './world.ts';

const LOOK_MS = 100;
const SAY_MS = 10_000;

/** Peak memory of `npm run board` while it checks and boards a book, compared with a book of a tenth of the loans. */
export const benchImportMemory: Bench = async (words) => {
  const count = parseSize(words, { usual: 20_000, least: 1_000 });
  const world = await openWorld();
  const peaks = [];
  for (const loans of [count / 10, count]) {
    const file = path.join(world.folder, `${loans}.csv`);
    const { principal_total } = writeLargeBook(file, loans, DAY, `${loans}-`);
    const totals = ['--expect-loans', String(loans), '--expect-principal', principal_total];
    const checked = await peakOf(world, `checking ${loans}`, ['--check', file]);
    const boarded = await peakOf(world, `boarding ${loans}`, [...totals, file]);
    peaks.push({ checked, boarded });
  }
  await world.close();
  const [small = { checked: 0, boarded: 0 }, large = small] = peaks;
  return (['checked', 'boarded'] as const).map((act) => ({
    what: `peak memory while a book of ${formatCount(count)} loans is ${act}; of ${formatCount(count / 10)}`,
    ours: `${large[act]} MB`,
    floor: `${small[act]} MB`,
    ratio: large[act] / small[act],
    target: { most: 1.25 },
  }));
};

/** The peak of the resident memory of the command, in MB. Only on systems with /proc. */
async function peakOf({ url, folder }: BenchWorld, what: string, words: readonly string[]) {
  const env = { DATABASE_URL: url, DATA_DIR: folder, LOG_LEVEL: 'warn' };
  const {
    process: child,
    ended,
    said,
  } = startProcess('workers/board.ts', ['--tenant', 'bench', ...words], env);
  const read = (name: string) => {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    return Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024);
  };
  let [peak, spoken] = [0, performance.now()];
  while (child.exitCode === null && child.signalCode === null) {
    peak = Math.max(peak, read('VmHWM'));
    if (performance.now() - spoken > SAY_MS) {
      spoken = performance.now();
      printProgress(`${what}: ${read('VmRSS')} MB, at most ${peak} MB`);
    }
    await wait(LOOK_MS);
  }
  if ((await ended) !== 0) throw new Error(said());
  printProgress(
    `${what}: at most ${peak} MB. ${
      said()
        .split('\n')
        .findLast((line) => / in [\d.]+ s/.test(line)) ?? ''
    }`,
  );
  return peak;
}
