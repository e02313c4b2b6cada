import { addDays } from '../../jobs/dates.ts';
import { snapshotPortfoliosJob } from '../../jobs/portfolios/snapshot.job.ts';
import { nothingOutside } from '../faults/nothing-outside.ts';
import { parseSize, type Figure } from './figures.ts';
import { formatCount, compareWithFloor } from './timing.ts';
import { openWorldWithLoans } from './many-loans.ts';
import { DAY } from './world.ts';
import { closeDay, startWorkers } from './workers.ts';

const LOANS = 50_000;
const ROUNDS = 5;

/** The plainest query for a portfolio's snapshot from the rows that the close wrote. */
const FLOOR = `
  select portfolio_id, count(*), sum(principal_balance), sum(total_balance),
         sum(principal_balance * interest_rate), sum(principal_balance * remaining_term),
         sum(principal_balance) filter (where delinquency_bucket not in ('current', 'dpd_1_29')),
         count(*) filter (where status = 'charged_off'),
         count(*) filter (where delinquency_bucket = 'current'),
         count(*) filter (where delinquency_bucket = 'dpd_1_29'),
         count(*) filter (where delinquency_bucket = 'dpd_30_59'),
         count(*) filter (where delinquency_bucket = 'dpd_60_89'),
         count(*) filter (where delinquency_bucket = 'dpd_90_119')
  from loan_snapshots where tenant_id = $1 and snapshot_date = $2 group by portfolio_id`;

/**
 * The job that summarizes each portfolio after a closed day, compared with one GROUP BY over the same rows.
 */
export async function benchSnapshots(words: readonly string[]): Promise<Figure[]> {
  const count = parseSize(words, { usual: LOANS, least: 1_000 });
  const world = await openWorldWithLoans(count);
  const { admin, within, tenant_id } = world;
  const workers = await startWorkers(world);
  // Two days, so that the rows of the second day are not the only ones.
  const day = addDays(DAY, 1);
  await closeDay(world, workers, DAY);
  await closeDay(world, workers, day).finally(() => workers.stop());
  const outside = { ...nothingOutside, within };
  const payload = { tenant_id, snapshot_date: day };
  const { ours, floor } = await compareWithFloor(
    ROUNDS,
    () => snapshotPortfoliosJob.run(payload, outside),
    () => admin.query(FLOOR, [tenant_id, day]),
  );
  await world.close();
  return [
    {
      what: `snapshots of portfolios with ${formatCount(count)} loans in all`,
      ours: `${ours.toFixed(3)} s`,
      floor: `${floor.toFixed(3)} s`,
      ratio: ours / floor,
      target: { most: 1.2 },
    },
  ];
}
