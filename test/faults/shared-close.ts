import { spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { startClose } from '../../jobs/business-day/close-loans.job.ts';
import { addDays } from '../../jobs/dates.ts';
import { openWorldWithLoans } from '../bench/many-loans.ts';
import { DAY, type BenchWorld } from '../bench/world.ts';

const CLOSED_WITHIN_MS = 600_000;
const ROOT = new URL('../..', import.meta.url).pathname;
/** In production a supervisor starts the workers. Here a shell starts them as its process group. */
const WORKER_SET_COMMAND = ['ledger', 'outbound']
  .map((pool) => `"$0" workers/worker.ts ${pool} &`)
  .join(' ');

type Group = { kill(signal: NodeJS.Signals): Promise<void> };

/** A set of workers in its own process group, as if on its own machine. */
function startGroup({ url, folder }: BenchWorld): Group {
  const shell = spawn('sh', ['-c', `${WORKER_SET_COMMAND} wait`, process.execPath], {
    cwd: ROOT,
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], DATABASE_URL: url, DATA_DIR: folder, LOG_LEVEL: 'error' },
  });
  const ended = new Promise<void>((resolve) => void shell.once('exit', () => resolve()));
  return {
    kill: async (signal) => {
      if (shell.pid !== undefined && shell.exitCode === null && shell.signalCode === null) {
        process.kill(-shell.pid, signal);
      }
      await ended;
    },
  };
}

/** What a close left behind and what it should have left. */
export type Closed = {
  seconds: number;
  /** The most processes that worked on the close at the same time. */
  workers: number;
  loans: number;
  snapshots: number;
  quarantined: number;
  /** The interest of the run, of the loans' rows and of the books. All three must be equal. */
  interest: string[];
};

/**
 * Closes four days: two by one set of workers (the first is a warm-up), one by two sets, and one by two
 * sets of which the second is killed while it works. Each process closes one chunk at a time, so a second
 * set has work to do.
 */
export async function shareCloses(
  count: number,
): Promise<Record<'alone' | 'shared' | 'killed', Closed>> {
  const world = await openWorldWithLoans(count);
  const groups: Group[] = [];
  const start = async () => {
    const group = startGroup(world);
    groups.push(group);
    const living = `select count(*) from app.worker_pools where name = 'ledger'`;
    await waitUntil(async () => (await number(world, living)) >= groups.length, 120_000);
    return group;
  };
  try {
    const why = `'bench', 'The clock on the wall must not close days here.'`;
    await world.admin.query(`select app.pause_work(null, 'start-close-of-business', null, ${why}),
      app.set_slots('ledger', 1, 'bench', 'One chunk at a time.')`);
    await start();
    await runClose(world, DAY);
    const alone = await runClose(world, addDays(DAY, 1));
    const second = await start();
    const shared = await runClose(world, addDays(DAY, 2));
    const killed = await runClose(world, addDays(DAY, 3), () => void second.kill('SIGKILL'));
    return { alone, shared, killed };
  } finally {
    for (const group of groups) await group.kill('SIGKILL');
    await world.close();
  }
}

/** Closes one day. Calls `whenShared` as soon as two processes have a chunk each. */
async function runClose(world: BenchWorld, day: string, whenShared?: () => void): Promise<Closed> {
  const { within, tenant_id } = world;
  const holders = `select count(distinct locked_by) from graphile_worker._private_jobs`;
  let workers = 0;
  const started = performance.now();
  await within(tenant_id, (work) => startClose(work, day));
  await waitUntil(async () => {
    const now = await number(world, holders);
    if (now === 2 && workers < 2) whenShared?.();
    workers = Math.max(workers, now);
    return within(tenant_id, async ({ today }) => today > day);
  }, CLOSED_WITHIN_MS);
  const seconds = (performance.now() - started) / 1000;
  const { rows } = await world.admin.query<Omit<Closed, 'seconds' | 'workers'>>(CLOSE_RESULTS, [
    day,
  ]);
  const [left] = rows;
  if (!left) throw new Error(`No run of ${day} has finished.`);
  return { seconds, workers, ...left };
}

const CLOSE_RESULTS = `
  select
    (select count(*)::integer from interest_accruals where accrual_date = run.cob_date) as loans,
    (select count(*)::integer from loan_snapshots where snapshot_date = run.cob_date) as snapshots,
    (select count(*)::integer from cob_loan_errors) as quarantined,
    array[
      run.interest::text,
      (select sum(amount)::text from interest_accruals where accrual_date = run.cob_date),
      (select sum(line.debit)::text from journal_entries as entry
       join journal_lines as line using (tenant_id)
       where line.entry_id = entry.id and entry.reference_id = run.id)
    ] as interest
  from cob_runs as run where run.cob_date = $1 and run.status = 'finished'`;

const number = async ({ admin }: BenchWorld, question: string): Promise<number> =>
  Number((await admin.query<{ count: string }>(question)).rows[0]?.count);

async function waitUntil(isSo: () => Promise<boolean>, withinMs: number) {
  for (const start = performance.now(); !(await isSo()); await wait(10)) {
    if (performance.now() - start > withinMs) throw new Error('It took too long.');
  }
}
