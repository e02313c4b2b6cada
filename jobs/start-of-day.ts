import { addMonths } from './dates.ts';
import { billMonth } from './documents/statements.job.ts';
import type { Work } from './work.ts';

/**
 * What begins with a new business date, in the transaction that moves it: nobody has paid on the new
 * day yet. On the first of a month, the month before is billed.
 */
export async function startOfDay(work: Work) {
  if (work.today.endsWith('-01')) await billMonth(work, addMonths(work.today, -1));
}
