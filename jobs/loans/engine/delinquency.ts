import { dayNumber } from '../../dates.ts';

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

/** Days that do not count as past due. Both ends are included. */
export type DelinquencyPause = { from: string; to: string };

export function bucketForDays(days: number): DelinquencyBucket {
  if (days <= 0) return 'current';
  if (days >= 180) return 'dpd_180_plus';
  return DELINQUENCY_BUCKETS[1 + Math.floor(days / 30)] ?? 'dpd_180_plus';
}

/** Days of grace after each due date, and pauses during which no day counts. */
export type Leniency = { pauses: readonly DelinquencyPause[]; grace_days: number };

/**
 * Days since the oldest unpaid due date, minus grace and paused days. The last day of grace is 0, the next
 * day is 1. Example: due 1 March, paused 10 to 19 March, counted on 30 April: 60 − 10 = 50; with five days
 * of grace 45.
 */
export function daysPastDue(
  oldestUnpaidDueDate: string | null,
  asOf: string,
  { pauses, grace_days }: Leniency = { pauses: [], grace_days: 0 },
): number {
  if (oldestUnpaidDueDate === null || asOf <= oldestUnpaidDueDate) return 0;
  const due = dayNumber(oldestUnpaidDueDate);
  const today = dayNumber(asOf);
  return Math.max(today - due - pausedDays(due + 1, today, pauses) - grace_days, 0);
}

export type DatedInstallment = { due_date: string; paid_date: string | null };

/**
 * The due date with which the current delinquency began: the oldest unpaid one, or an earlier one that was
 * paid when the next one was already late. Null if the loan is current. `dues` must be sorted by due date.
 */
export function delinquentSince(
  oldestUnpaidDueDate: string | null,
  asOf: string,
  dues: readonly DatedInstallment[],
  leniency: Leniency,
): string | null {
  if (daysPastDue(oldestUnpaidDueDate, asOf, leniency) === 0) return null;
  return dues.reduceRight<string | null>((since, { due_date, paid_date }) => {
    if (since === null || paid_date === null || due_date >= since) return since;
    return daysPastDue(since, paid_date, leniency) > 0 ? due_date : since;
  }, oldestUnpaidDueDate);
}

/** Paused days of a closed interval. Overlapping pauses count once. */
function pausedDays(first: number, last: number, pauses: readonly DelinquencyPause[]): number {
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
