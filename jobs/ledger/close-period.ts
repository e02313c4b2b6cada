import * as closings from '../../sql/ledger/closings.ts';
import { insert } from '../../sql/write.ts';
import { Conflict, Invalid } from '../errors.ts';
import type { Work } from '../work.ts';

type Closing = { closed_through: string; description?: string | null | undefined };

/**
 * Closes the books through a day, for good. Postings under way are waited for, so that none lands in
 * the closed period. The business date itself is always open.
 */
export async function closePeriod(work: Work, input: Closing): Promise<string> {
  await closings.lockPostings(work.tx);
  const last = await closings.closedThrough(work.tx);
  if (last !== null && input.closed_through <= last) {
    throw new Conflict(`The books are already closed through ${last}.`, 'period_closed');
  }
  if (input.closed_through >= work.today) {
    throw new Invalid({ closed_through: 'Must be before the business date.' });
  }
  return insert(work.tx, 'period_closings', { ...input, closed_by: work.actor.id });
}

/** Refuses to book by hand on a day that is closed. */
export async function assertPeriodOpen({ tx }: Work, day: string) {
  const last = await closings.closedThrough(tx);
  if (last !== null && day <= last) {
    throw new Conflict(`The books are closed through ${last}.`, 'period_closed', {
      closed_through: last,
    });
  }
}
