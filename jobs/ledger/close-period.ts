import * as closings from '../../sql/ledger/closings.ts';
import { insert } from '../../sql/write.ts';
import { Conflict, Invalid } from '../errors.ts';
import type { Work } from '../work.ts';

type Closing = { closed_through: string; description?: string | null | undefined };

/**
 * Closes the books through a day, permanently. Waits for postings in progress, so none lands in the closed
 * period. The business date itself always stays open.
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

/** Throws `Conflict` if a manual entry is dated in a closed period. */
export async function assertPeriodOpen({ tx }: Work, day: string) {
  const last = await closings.closedThrough(tx);
  if (last !== null && day <= last) {
    throw periodClosed(last);
  }
}

export const periodClosed = (last: string) =>
  new Conflict(`The books are closed through ${last}. Use a later date.`, 'period_closed', {
    closed_through: last,
  });
