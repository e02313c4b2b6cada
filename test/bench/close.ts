import { addDays } from '../../jobs/dates.ts';
import { accrueDay } from './accrue-day.ts';
import { median, printProgress, parseSize, type Figure } from './figures.ts';
import { formatCount, formatRate } from './timing.ts';
import { openWorldWithLoans } from './many-loans.ts';
import { DAY, type BenchWorld } from './world.ts';
import { watchShares } from './shares.ts';
import { closeDay, startWorkers } from './workers.ts';

const LOANS = 100_000;
const ROUNDS = 3;

/** The text that identifies the statement of each step of a close. */
const STEPS = {
  interest: 'insert into interest_accruals',
  particulars: 'insert into loan_attribute_history',
  'the snapshot of each loan': 'insert into loan_snapshots',
  ageing: 'set delinquency_bucket',
} as const;
type Step = keyof typeof STEPS;

/**
 * Whole closes by two workers, as in production, compared with the accrual of other days by two processes.
 * Samples the database's activity to show where the time goes.
 */
export async function benchClose(words: readonly string[]): Promise<Figure[]> {
  const count = parseSize(words, { usual: LOANS, least: 1_000 });
  const world = await openWorldWithLoans(count);
  const rounds: Round[] = [];
  // The first round is not counted: statements are planned and loan attributes are written once.
  for (let number = 0; number <= ROUNDS; number += 1) {
    const round = await measureRound(world, number);
    if (number > 0) rounds.push(round);
    printProgress(
      `${formatRate(count, round.whole)}; interest alone ${round.accrual.toFixed(2)} s`,
    );
  }
  const whole = median(rounds.map((round) => round.whole));
  const least = median(rounds.map((round) => round.accrual));
  await world.close();
  return [
    {
      what: `a close of ${formatCount(count)} loans by two workers, beside its accrual`,
      ours: formatRate(count, whole),
      floor: formatRate(count, least),
      ratio: whole / least,
      target: { most: 6 },
    },
    ...(Object.keys(STEPS) as Step[]).map((step) => {
      const share = median(rounds.map(({ shares }) => shares[step] ?? 0));
      const percent = `${(share * 100).toFixed(0)} % of what the database did`;
      return { what: `of that close: ${step}`, ours: percent, floor: '', ratio: share };
    }),
  ];
}

type Round = { whole: number; accrual: number; shares: Record<string, number> };

/** Two days, one closed as a whole and one accrued only. They alternate which comes first. */
async function measureRound(world: BenchWorld, number: number): Promise<Round> {
  const [one, other] = [addDays(DAY, 2 * number), addDays(DAY, 2 * number + 1)];
  if (number % 2 === 0) {
    const whole = await measureClose(world, one);
    return { ...whole, accrual: (await accrueDay(world, other)).ours };
  }
  const { ours: accrual } = await accrueDay(world, one);
  return { ...(await measureClose(world, other)), accrual };
}

async function measureClose(world: BenchWorld, day: string): Promise<Omit<Round, 'accrual'>> {
  const workers = await startWorkers(world);
  await world.admin.query('checkpoint');
  const watching = await watchShares(world.url, STEPS);
  const whole = await closeDay(world, workers, day).finally(() => workers.stop());
  return { whole, shares: await watching.stop() };
}
