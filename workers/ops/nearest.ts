/** The known word that takes the fewest edits to reach, where that is less than half of it; otherwise null. */
export function nearest(word: string, known: readonly string[]): string | null {
  const byDistance = known
    .map((name) => ({ name, edits: editsBetween(word.slice(0, 60).toLowerCase(), name) }))
    .toSorted((one, other) => one.edits - other.edits);
  const [best] = byDistance;
  return best && best.edits * 2 <= best.name.length ? best.name : null;
}

/** Levenshtein distance. */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [line, letter] of Array.from(one).entries()) {
    const next = [line + 1];
    for (const [index, wanted] of Array.from(other).entries()) {
      const swap = (row[index] ?? 0) + (letter === wanted ? 0 : 1);
      next.push(Math.min(swap, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
