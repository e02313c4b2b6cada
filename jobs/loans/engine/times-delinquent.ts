import { addDays } from '../../dates.ts';
import { daysPastDueOn } from './bills.ts';
import type { LoanEvent } from './events.ts';
import { positionOn, type ReplayRun } from './run.ts';

/** Days past due that are counted each time a loan reaches them. */
const STEPS = [30, 60, 90] as const;

export type TimesDelinquent = Record<(typeof STEPS)[number], number> & {
  /** The step of the last count, so that the next close does not count it again. */
  days_counted: number;
};

/**
 * Counts how often a loan reached 30, 60 and 90 days past due, as the closes of those days would have done with
 * everything that is known now. Call `before` for each event and `end` for the business date.
 */
export function createDelinquencyCounter() {
  const times: TimesDelinquent = { 30: 0, 60: 0, 90: 0, days_counted: 0 };
  let since: string | null = null;
  const countMorning = (run: ReplayRun, morning: string) => {
    if (run.position.funded_on === null || run.position.charged_off_on !== null) return;
    const days = daysPastDueOn(positionOn(run, morning), morning);
    for (const step of STEPS) if (days >= step && times.days_counted < step) times[step] += 1;
    times.days_counted = Math.min(Math.floor(days / 30) * 30, 90);
  };
  /** Between two events, days past due only grow, so the first and the last morning are enough. */
  const countUntil = (run: ReplayRun, day: string) => {
    if (since !== null && since < day) {
      const first = addDays(since, 1);
      if (first < day) countMorning(run, first);
      countMorning(run, day);
    }
    since = day;
  };
  return {
    before: (run: ReplayRun, { effective_date }: LoanEvent) => countUntil(run, effective_date),
    end: (run: ReplayRun, today: string): TimesDelinquent => {
      countUntil(run, today);
      return times;
    },
  };
}
