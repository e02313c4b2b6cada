/**
 * The number of letters by which two words differ: insertions, deletions, replacements, and swaps of two
 * neighboring letters (optimal string alignment).
 */
export function editDistance(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 1; at <= one.length; at += 1) {
    const row = [at];
    for (let to = 1; to <= other.length; to += 1) {
      const isSame = one[at - 1] === other[to - 1];
      const replaced = (last[to - 1] ?? 0) + (isSame ? 0 : 1);
      const isSwap =
        at > 1 && to > 1 && one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1];
      const swapped = isSwap ? (beforeLast[to - 2] ?? 0) + 1 : Infinity;
      row.push(Math.min(replaced, swapped, (last[to] ?? 0) + 1, (row[to - 1] ?? 0) + 1));
    }
    beforeLast = last;
    last = row;
  }
  return last[other.length] ?? 0;
}
