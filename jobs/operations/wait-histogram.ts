/**
 * Upper bounds in seconds of the wait histogram. Longer waits are counted in a last bucket without a bound.
 */
export const WAIT_BOUNDS_SECONDS = [
  0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 1800, 3600, 14400,
] as const;

export const emptyWaitHistogram = (): number[] =>
  Array.from({ length: WAIT_BOUNDS_SECONDS.length + 1 }, () => 0);

export const waitBucket = (seconds: number): number => {
  const found = WAIT_BOUNDS_SECONDS.findIndex((bound) => seconds <= bound);
  return found < 0 ? WAIT_BOUNDS_SECONDS.length : found;
};

/**
 * The bound in seconds within which this share of the jobs started. Null without jobs; Infinity beyond the
 * last bound.
 */
export function waitQuantile(waits: readonly number[], share: number): number | null {
  const total = waits.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let counted = 0;
  for (const [place, count] of waits.entries()) {
    counted += count;
    if (counted >= total * share) return WAIT_BOUNDS_SECONDS[place] ?? Infinity;
  }
  return Infinity;
}

export const addHistograms = (waits: readonly number[], others: readonly number[]): number[] =>
  emptyWaitHistogram().map((_, place) => (waits[place] ?? 0) + (others[place] ?? 0));
