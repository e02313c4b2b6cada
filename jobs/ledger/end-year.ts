import * as closings from '../../sql/ledger/closings.ts';
import { lastYearEnd, closeToRetainedEarnings } from '../../sql/ledger/year-ends.ts';
import { newId } from '../../sql/new-id.ts';
import { insert } from '../../sql/write.ts';
import { addMonths, monthEnd } from '../dates.ts';
import { Conflict, Invalid } from '../errors.ts';
import type { Work } from '../work.ts';

/**
 * Ends a fiscal year, permanently. Moves income and expenses to retained earnings on its last day, and
 * closes the books through that day. Waits for postings in progress, as every closing does.
 */
export async function endFiscalYear(
  work: Work,
  { fiscal_year_end: day }: { fiscal_year_end: string },
) {
  const { tx, today, actor } = work;
  if (day !== monthEnd(day))
    throw new Invalid({ fiscal_year_end: 'Must be the last day of a month.' });
  if (day >= today) throw new Invalid({ fiscal_year_end: 'Must be before the business date.' });
  await closings.lockPostings(tx);
  const last = await lastYearEnd(tx, '9999-12-31');
  if (last !== null && day <= last) throw yearAlreadyClosed(last);
  if (last !== null && day > monthEnd(addMonths(last, 12)))
    throw new Invalid({ fiscal_year_end: `Must be within a year of ${last}.` });
  const id = newId();
  const moved = await closeToRetainedEarnings(tx, id, day, actor.id);
  await insert(tx, 'year_ends', { id, fiscal_year_end: day, ...moved, closed_by: actor.id });
  const closed = await closings.closedThrough(tx);
  if (closed === null || closed < day) {
    const description = `Year end of ${day}`;
    await insert(tx, 'period_closings', { closed_through: day, description, closed_by: actor.id });
  }
  return id;
}

export const yearAlreadyClosed = (last: string) =>
  new Conflict(`The year through ${last} has already been closed.`, 'year_closed');
