import { addDays, daysBetween, earliest, latest } from '../../dates.ts';

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

/** The highest days past due of the same bucket. Null if it has no limit. */
export const lastDayOfBucket = (days: number): number | null =>
  days >= 180 ? null : Math.floor(days / 30) * 30 + 29;

/** Days of grace after each due date, and pauses during which no day counts. */
export type Leniency = { pauses: readonly DelinquencyPause[]; grace_days: number };

/** A part of the days past due: the days since the due date, or negative days that do not count. */
export type DaysPart = {
  rule: 'since_due_date' | 'paused' | 'grace';
  days: number;
  /** The due date and the day of the count, or the first and last paused day. Null for days of grace. */
  from: string | null;
  to: string | null;
};

const NO_LENIENCY: Leniency = { pauses: [], grace_days: 0 };

/**
 * Days since the oldest unpaid due date, minus grace and paused days. The last day of grace is 0, the next
 * day is 1. Example: due 1 March, paused 10 to 19 March, counted on 30 April: 60 − 10 = 50; with five days
 * of grace 45.
 */
export const daysPastDue = (
  oldestUnpaidDueDate: string | null,
  asOf: string,
  leniency: Leniency = NO_LENIENCY,
): number => sumDays(pastDueDays(oldestUnpaidDueDate, asOf, leniency));

/** The parts that add up to the days past due. */
export function pastDueDays(
  oldestUnpaidDueDate: string | null,
  asOf: string,
  { pauses, grace_days }: Leniency,
): readonly DaysPart[] {
  if (oldestUnpaidDueDate === null || asOf <= oldestUnpaidDueDate) return [];
  const days = daysBetween(oldestUnpaidDueDate, asOf);
  const since: DaysPart = { rule: 'since_due_date', days, from: oldestUnpaidDueDate, to: asOf };
  const counted =
    pauses.length === 0
      ? [since]
      : [since, ...pausedDays(addDays(oldestUnpaidDueDate, 1), asOf, pauses)];
  const grace = Math.min(grace_days, sumDays(counted));
  return grace === 0
    ? counted
    : [...counted, { rule: 'grace', days: -grace, from: null, to: null }];
}

export const sumDays = (parts: readonly DaysPart[]): number =>
  parts.reduce((total, { days }) => total + days, 0);

export type DatedInstallment = { due_date: string; paid_date: string | null };

/**
 * The due date with which a delinquency of at least `leastDays` began: the oldest unpaid one, or an earlier
 * one that was paid when the next one was already that late. Null if the loan is less late. `dues` must be
 * sorted by due date.
 */
export function delinquentSince(
  oldestUnpaidDueDate: string | null,
  asOf: string,
  { dues, leniency, leastDays }: DelinquencyFacts,
): string | null {
  if (daysPastDue(oldestUnpaidDueDate, asOf, leniency) < leastDays) return null;
  return dues.reduceRight<string | null>((since, { due_date, paid_date }) => {
    if (since === null || paid_date === null || due_date >= since) return since;
    return daysPastDue(since, paid_date, leniency) >= leastDays ? due_date : since;
  }, oldestUnpaidDueDate);
}

type DelinquencyFacts = {
  dues: readonly DatedInstallment[];
  leniency: Leniency;
  /** Days past due from which the loan counts as delinquent. */
  leastDays: DelinquencyDays;
};

/** From 1 day for the lender, from 30 days for the credit bureaus. */
export type DelinquencyDays = 1 | 30;

/** Paused days of a closed interval. Overlapping pauses count once. */
function pausedDays(
  first: string,
  last: string,
  pauses: readonly DelinquencyPause[],
): readonly DaysPart[] {
  const parts: DaysPart[] = [];
  let next = first;
  for (const pause of pauses.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    const [from, to] = [latest(pause.from, next), earliest(pause.to, last)];
    if (to < from) continue;
    parts.push({ rule: 'paused', days: -daysBetween(from, to) - 1, from, to });
    next = addDays(to, 1);
  }
  return parts;
}
