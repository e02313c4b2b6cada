import * as close from '../../sql/business-day/closes.ts';
import * as tenants from '../../sql/tenants.ts';
import { beforeClose } from './business-day.ts';
import { localDate } from '../dates.ts';
import { Invalid } from '../errors.ts';
import type { Work } from '../work.ts';

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
  await beforeClose(work);
  return close.plan(work.tx, day, through, CHUNK_SIZE);
}

let isFutureClosable = true;

/**
 * Told once when a process starts: in production only days that are over are closed; elsewhere the
 * future is, too, so that a whole loan's life can be run through in seconds.
 */
export function closeFuture(isAllowed: boolean) {
  isFutureClosable = isAllowed;
}

/** Refuses days that are closed already, or that may not be closed yet. */
export async function assertClosable({ tx, today }: Work, through: string) {
  const refuse = (reason: string) => new Invalid({ through_date: reason });
  if (through < today) throw refuse(`Is closed already: the business date is ${today}.`);
  const { time_zone } = await tenants.current(tx);
  const wall = localDate(new Date(), time_zone);
  if (!isFutureClosable && through >= wall)
    throw refuse(`Must be over: in ${time_zone} it is ${wall}.`);
  const horizon = `${Number(today.slice(0, 4)) + 40}${today.slice(4)}`;
  if (through > horizon) throw refuse('Must be within 40 years.');
}
