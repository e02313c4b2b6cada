import { z } from 'zod';
import * as snapshots from '../../sql/portfolios/snapshots.ts';
import { date, uuid } from '../../sql/types.ts';
import { Invalid } from '../errors.ts';
import { job } from '../job.ts';
import type { Work } from '../work.ts';
import { assertAttributesRecorded, assertDayRecorded } from './recorded-days.ts';

/**
 * Writes the day's figures of every portfolio with one statement. Safe to repeat. A closed day is read from
 * its loan snapshots, so later payments do not affect it.
 */
export async function snapshotPortfolios({ tx }: Pick<Work, 'tx'>, day: string): Promise<number> {
  const source = (await snapshots.areSnapshotsRecorded(tx, day)) ? 'recorded' : 'live';
  return (await snapshots.writePortfolioSnapshots(tx, day, source)).length;
}

export const snapshotPortfoliosJob = job({
  name: 'snapshot-portfolios',
  pool: 'ledger',
  payload: z.object({ tenant_id: uuid, snapshot_date: date }),
  attempts: 5,
  key: ({ tenant_id, snapshot_date }) => `snapshot-portfolios:${tenant_id}:${snapshot_date}`,

  async run({ tenant_id, snapshot_date }, outside) {
    await outside.within(tenant_id, (work) => snapshotPortfolios(work, snapshot_date));
  },
});

type Input = { portfolio_id: string; snapshot_date?: string | undefined };

/** Writes one portfolio's figures, either of today or of a closed day. */
export async function addSnapshot(work: Work, input: Input): Promise<string> {
  const { portfolio_id, snapshot_date: day = work.today } = input;
  if (day > work.today)
    throw new Invalid({ snapshot_date: 'Must not be after the business date.' });
  const isPast = day < work.today;
  if (isPast) {
    await assertDayRecorded(work.tx, day, 'snapshot_date');
    await assertAttributesRecorded(work.tx, day, ['weighted_average_term']);
  }
  const source = isPast ? 'recorded' : 'live';
  const [written] = await snapshots.writePortfolioSnapshots(work.tx, day, source, portfolio_id);
  if (!written) throw new Error(`Portfolio ${portfolio_id} vanished while it was written.`);
  return written.id;
}
