import { addMonths, monthEnd } from '../../dates.ts';
import { daysPastDueOn } from '../engine/bills.ts';
import type { LoanEvent } from '../engine/events.ts';
import { totalOwed } from '../engine/position.ts';
import { positionOn, type ReplayRun } from '../engine/run.ts';
import { markOfDays } from '../reporting/records/account-status.ts';

const MONTHS = 24;

/** The ends of the 24 months before the month of a day, oldest first. */
const monthEndsBefore = (day: string): string[] =>
  Array.from({ length: MONTHS }, (_, at) => monthEnd(addMonths(day, at - MONTHS, 1)));

/**
 * Notes how late a loan was at the end of each of the last 24 months, with everything that is known now. Call `before` for
 * each event and `end` after the last one.
 */
export function createProfileWriter(today: string) {
  const ends = monthEndsBefore(today);
  const marks: (string | null)[] = [];
  const writeUntil = (run: ReplayRun, day: string) => {
    for (let end = ends[marks.length]; end !== undefined && end < day; end = ends[marks.length])
      marks.push(markOn(run, end));
  };
  return {
    before: (run: ReplayRun, { effective_date }: LoanEvent) => writeUntil(run, effective_date),
    end(run: ReplayRun): readonly (string | null)[] {
      writeUntil(run, today);
      return marks;
    },
  };
}

/** The mark of Metro 2 for the end of a month. Null: the history begins later. */
function markOn(run: ReplayRun, day: string): string | null {
  const { funded_on, charged_off_on } = run.position;
  if (funded_on === null) return null;
  if (charged_off_on !== null) return 'L';
  const position = positionOn(run, day);
  return totalOwed(position, day).eq(0) ? 'E' : markOfDays(daysPastDueOn(position, day));
}

/** The profile of the previous servicer, newest month first. B: before the loan was made. D: before its history begins. */
export const profileOf = (
  marks: readonly (string | null)[],
  { origination_date, today }: { origination_date: string; today: string },
): string =>
  monthEndsBefore(today)
    .map((end, at) => marks[at] ?? (end < origination_date ? 'B' : 'D'))
    .toReversed()
    .join('');
