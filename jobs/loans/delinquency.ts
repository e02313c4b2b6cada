import { dayNumber } from '../dates.ts';

/** Days past due in the steps of Metro 2 payment ratings. */
export const DELINQUENCY_BUCKETS = [
  'current',
  'dpd_1_29',
  'dpd_30_59',
  'dpd_60_89',
  'dpd_90_119',
  'dpd_120_149',
  'dpd_150_179',
  'dpd_180_plus',
] as const;
export type DelinquencyBucket = (typeof DELINQUENCY_BUCKETS)[number];

/** Days that do not count as past due; both ends belong to the pause. */
export type Pause = { from: string; to: string };

export function bucketOf(days: number): DelinquencyBucket {
  if (days <= 0) return 'current';
  if (days >= 180) return 'dpd_180_plus';
  return DELINQUENCY_BUCKETS[1 + Math.floor(days / 30)] ?? 'dpd_180_plus';
}

/**
 * Days since the oldest unpaid due date, without the paused ones: 0 on the due date, 1 the day
 * after. Due 1 March, paused 10 to 19 March, on 30 April: 60 − 10 = 50.
 */
export function daysPastDue(
  oldestUnpaidDueDate: string | null,
  asOf: string,
  pauses: readonly Pause[] = [],
): number {
  if (oldestUnpaidDueDate === null || asOf <= oldestUnpaidDueDate) return 0;
  const due = dayNumber(oldestUnpaidDueDate);
  const today = dayNumber(asOf);
  return today - due - pausedDays(due + 1, today, pauses);
}

/** Days of a closed interval that any pause covers; overlapping pauses count once. */
function pausedDays(first: number, last: number, pauses: readonly Pause[]): number {
  let covered = 0;
  let next = first;
  for (const { from, to } of pauses.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    const begin = Math.max(dayNumber(from), next);
    const end = Math.min(dayNumber(to), last);
    if (end < begin) continue;
    covered += end - begin + 1;
    next = end + 1;
  }
  return covered;
}
