/** Levenshtein distance: insertions, deletions and replacements. */
export function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 1; at <= one.length; at += 1) {
    const next = [at];
    for (let to = 1; to <= other.length; to += 1) {
      const replaced = (row[to - 1] ?? 0) + (one[at - 1] === other[to - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

/** A longer path cannot be a misspelled setting. */
const LENGTH_MAX = 60;

/** The known path most similar to an unknown one. Undefined if the unknown path is too long. */
export function findNearestPath(unknown: string, known: readonly string[]): string | undefined {
  if (unknown.length > LENGTH_MAX) return undefined;
  const [nearest] = known
    .map((path) => ({ path, far: path.startsWith(unknown) ? 0 : editDistance(unknown, path) }))
    .toSorted((one, other) => one.far - other.far);
  return nearest?.path;
}
