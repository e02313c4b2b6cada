import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { startClose } from '../../jobs/business-day/close-loans.job.ts';
import { planClose } from '../../jobs/business-day/plan-close.ts';
import { addDays } from '../../jobs/dates.ts';
import { accrue } from '../../sql/business-day/close-steps.ts';
import * as close from '../../sql/business-day/closes.ts';
import { keepRunning } from '../../workers/processes/children.ts';
import { say, sizeOf, type Bench } from './figures.ts';
import { manyLoans } from './many-loans.ts';
import { DAY, type BenchWorld } from './world.ts';

const LOANS = 100_000;
const STOP_WITHIN_MS = 10_000;

/**
 * One day of so many loans: closed by a real worker process (interest, ageing, snapshots, journal),
 * and the accrual alone beside the floor, a plain insert of the same rows with their key.
 */
export const accrual: Bench = async (words) => {
  const loans = sizeOf(words, { usual: LOANS, least: 1_000 });
  const amount = loans.toLocaleString('en');
  say(`Writing ${amount} loans …`);
  const world = await manyLoans(loans);
  const day = await closedByWorker(world);
  const own = await accruedHere(world);
  const floor = await floorOf(world);
  await world.close();
  return [
    {
      what: `interest of ${amount} loans for a day; a plain insert of the same rows`,
      ours: inSeconds(own),
      floor: inSeconds(floor),
      ratio: floor / own,
      target: { least: 0.8 },
    },
    {
      what: 'the whole close of the day before, by a worker; its interest alone',
      ours: inSeconds(day),
      floor: inSeconds(own),
      ratio: day / own,
      target: { most: 6 },
    },
  ];
};

const inSeconds = (seconds: number) => `${seconds.toFixed(2)} s`;

async function closedByWorker({ url, folder, tenant_id, within, admin }: BenchWorld) {
  // The clock on the wall must not close days here.
  await admin.query(
    `select app.pause_work(null, 'start-close-of-business', null, 'bench', 'The clock on the wall.')`,
  );
  const crashed = Promise.withResolvers<never>();
  const worker = keepRunning({
    name: 'ledger',
    file: 'worker.ts',
    arguments: ['ledger'],
    env: { ...process.env, DATABASE_URL: url, DATA_DIR: folder, LOG_LEVEL: 'error' },
    onCrash: ({ code }) => crashed.reject(new Error(`The worker ended (${code}).`)),
  });
  try {
    const isUp = async () =>
      (await admin.query('select from app.worker_pools')).rowCount !== 0 || undefined;
    await Promise.race([until(isUp), crashed.promise]);
    const started = performance.now();
    await within(tenant_id, (work) => startClose(work, DAY));
    const isClosed = () => within(tenant_id, async ({ today }) => today > DAY || undefined);
    await Promise.race([until(isClosed), crashed.promise]);
    return (performance.now() - started) / 1000;
  } finally {
    await worker.stop(STOP_WITHIN_MS);
  }
}

async function until(isSo: () => Promise<true | undefined>) {
  while (!(await isSo())) await pause(10);
}

/** The accrual of the day after, chunk by chunk on one connection, as the job does it. */
async function accruedHere({ tenant_id, within }: BenchWorld): Promise<number> {
  const day = addDays(DAY, 1);
  const run = await within(tenant_id, (work) => planClose(work, day));
  if (!run) throw new Error('Nothing to close.');
  const started = performance.now();
  for (let number = 1; number <= run.chunks_total; number += 1) {
    await within(tenant_id, async ({ tx }) => {
      const chunk = await close.chunk(tx, run.id, number, true);
      if (chunk) await accrue(tx, chunk, day, randomUUID());
    });
  }
  return (performance.now() - started) / 1000;
}

async function floorOf({ admin }: BenchWorld): Promise<number> {
  await admin.query(
    `create table floor (like interest_accruals including defaults,
       primary key (tenant_id, accrual_date, loan_id, sequence))`,
  );
  await admin.query(
    'create table source as select * from interest_accruals where accrual_date = $1',
    [addDays(DAY, 1)],
  );
  const started = performance.now();
  await admin.query('insert into floor select * from source');
  return (performance.now() - started) / 1000;
}
