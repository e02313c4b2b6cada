import { addDays } from '../../jobs/dates.ts';
import { accrueDay, type AccrualTimes } from './accrue-day.ts';
import { median, printProgress, parseSize, type Figure } from './figures.ts';
import { formatCount, formatRate } from './timing.ts';
import { openWorldWithLoans } from './many-loans.ts';
import { startAccrualWorkers, type AccrualWorkers } from './workers.ts';
import { DAY, type BenchWorld } from './world.ts';

const LOANS = 100_000;
const ROUNDS = 3;
/** This day's partition contains only the floor's rows. It is dropped after each round. */
const FLOOR_DAY = '2001-01-01';

/**
 * A day's interest, posted through the queue by two processes, compared with a COPY of the same rows into
 * the same table by the server itself. Also measures a repeated accrual, which has nothing left to do.
 */
export async function benchAccrual(words: readonly string[]): Promise<Figure[]> {
  const count = parseSize(words, { usual: LOANS, least: 1_000 });
  const world = await openWorldWithLoans(count);
  const accruing = await startAccrualWorkers(world);
  const rounds: Round[] = [];
  // The first round is not counted: the processes plan statements and compile code.
  for (let number = 0; number <= ROUNDS; number += 1) {
    const round = await measureRound(world, accruing, number);
    if (number > 0) rounds.push(round);
    printProgress(`${formatRate(count, round.ours)}; COPY ${round.floor.toFixed(2)} s`);
  }
  const middle = (name: keyof Round) => median(rounds.map((round) => round[name]));
  await accruing.stop();
  await world.close();
  return [
    {
      what: `interest of ${formatCount(count)} loans by two workers, beside COPY of its rows`,
      ours: formatRate(count, middle('ours')),
      floor: formatRate(count, middle('floor')),
      ratio: middle('floor') / middle('ours'),
      target: { least: 0.8 },
    },
    {
      what: 'the same asked once more, beside the first time',
      ours: `${middle('again').toFixed(3)} s`,
      floor: `${middle('ours').toFixed(2)} s`,
      ratio: middle('again') / middle('ours'),
      target: { most: 0.03 },
    },
  ];
}

type Round = AccrualTimes & { floor: number };

/** Measures one day. The floor uses the rows of the day before and comes first in every other round. */
async function measureRound(
  world: BenchWorld,
  accruing: AccrualWorkers,
  number: number,
): Promise<Round> {
  const day = addDays(DAY, number);
  let floor = number % 2 === 0 && number > 0 ? await measureCopy(world, addDays(day, -1)) : 0;
  const between = async () => {
    floor ||= await measureCopy(world, day);
  };
  return { ...(await accrueDay(world, day, { accruing, between })), floor };
}

/**
 * Copies the day's rows under another date, from a file of the server into the same table with its keys and
 * checks.
 */
async function measureCopy({ admin }: BenchWorld, day: string): Promise<number> {
  const partition = `interest_accruals_${FLOOR_DAY.slice(0, 4)}${FLOOR_DAY.slice(5, 7)}`;
  await admin.query('select app.ensure_accrual_month($1)', [FLOOR_DAY]);
  const shown = await admin.query<{ data_directory: string }>('show data_directory');
  const file = `'${shown.rows[0]?.data_directory}/rows-to-copy'`;
  const columns = 'tenant_id, accrual_date, loan_id, sequence, amount, entry_id';
  await admin.query(
    `copy (
       select tenant_id, date '${FLOOR_DAY}', loan_id, sequence, amount, entry_id
       from interest_accruals where accrual_date = date '${day}' order by loan_id
     ) to ${file}`,
  );
  await admin.query('checkpoint');
  const started = performance.now();
  await admin.query(`copy interest_accruals (${columns}) from ${file}`);
  const seconds = (performance.now() - started) / 1000;
  await admin.query(`drop table ${partition}`);
  return seconds;
}
