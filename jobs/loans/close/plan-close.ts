import * as close from '../../../sql/loans/close.ts';
import { beforeClose } from '../../business-day.ts';
import { Invalid } from '../../errors.ts';
import type { Work } from '../../work.ts';

/** Loans per chunk: one statement works on all of them. */
const CHUNK_SIZE = 10_000;

/**
 * Plans the close of the tenant's business date, and of the days after it up to `through`, which
 * follow one by one. Asked again for a day that is being closed, it only remembers to go further.
 * Answers the run whose chunks are to be enqueued, or null where nothing new was planned.
 */
export async function planClose(work: Work, through: string): Promise<close.Run | null> {
  await close.alone(work.tx);
  const day = await close.today(work.tx);
  if (through < day) return null;
  const known = await close.runOf(work.tx, day);
  if (known) {
    await close.extend(work.tx, known.id, through);
    return null;
  }
  await beforeClose(work, day);
  return close.plan(work.tx, day, through, CHUNK_SIZE);
}

/** How far ahead a close may be asked for: a whole loan's life, and no further. */
export function assertClosable(today: string, through: string) {
  if (through < today)
    throw new Invalid({ through_date: `Is closed already: the business date is ${today}.` });
  const horizon = `${Number(today.slice(0, 4)) + 40}${today.slice(4)}`;
  if (through > horizon) throw new Invalid({ through_date: 'Must be within 40 years.' });
}
