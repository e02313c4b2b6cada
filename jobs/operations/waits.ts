/**
 * How long jobs that were due waited for a worker, counted by these bounds in seconds. Behind the last one
 * everything is in one place, of which only "more than that" is known.
 */
export const WAIT_BOUNDS = [
  ...[0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  ...[60, 120, 300, 900, 1800, 3600, 14_400],
] as const;

export const noWaits = (): number[] => Array.from({ length: WAIT_BOUNDS.length + 1 }, () => 0);

export const placeOfWait = (seconds: number): number => {
  const found = WAIT_BOUNDS.findIndex((bound) => seconds <= bound);
  return found < 0 ? WAIT_BOUNDS.length : found;
};

/** Within how many seconds this share of the jobs was begun; null where none was. */
export function waitOf(waits: readonly number[], share: number): number | null {
  const total = waits.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let counted = 0;
  for (const [place, count] of waits.entries()) {
    counted += count;
    if (counted >= total * share) return WAIT_BOUNDS[place] ?? Infinity;
  }
  return Infinity;
}

export const added = (waits: readonly number[], others: readonly number[]): number[] =>
  noWaits().map((_, place) => (waits[place] ?? 0) + (others[place] ?? 0));
