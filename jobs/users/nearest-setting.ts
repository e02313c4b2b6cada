/** How many letters have to be added, taken away or replaced to make one word of another. */
function distance(one: string, other: string): number {
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

const LENGTH_MAX = 100;

/** The known path that is most like an unknown one. */
export function nearestPath(unknown: string, known: readonly string[]): string | undefined {
  const wanted = unknown.slice(0, LENGTH_MAX);
  const far = (path: string) => (path.startsWith(wanted) ? 0 : distance(wanted, path));
  return known.toSorted((one, other) => far(one) - far(other))[0];
}
