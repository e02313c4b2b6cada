/**
 * The known word that an unknown word probably means: it has the same letters, begins with it, contains it, or
 * differs in at most two of five letters. Ignores case, hyphens, dots and underscores. Undefined if no word is similar.
 *
 * The docs page runs the source texts of this function and of `editDistance`, so they must not use other names.
 */
export function findNearestWord(unknown: string, known: readonly string[]): string | undefined {
  // A longer word cannot be a misspelling of a known one.
  const lengthMax = 60;
  // Shorter words are part of too many names.
  const partLengthMin = 4;
  const lettersOf = (word: string) => word.toLowerCase().replaceAll(/[-_.\s]/g, '');

  function compare(word: string, name: string): { distance: number; is_similar: boolean } {
    if (word === '') return { distance: Infinity, is_similar: false };
    if (word.length >= partLengthMin && name.startsWith(word))
      return { distance: 0.1, is_similar: true };
    const distance = editDistance(word, name);
    const is_similar = distance * 5 <= name.length * 2;
    // A misspelled word comes before a word that is only a part of the name.
    if (!is_similar && word.length >= partLengthMin && name.includes(word))
      return { distance: name.length, is_similar: true };
    return { distance, is_similar };
  }

  if (unknown.length > lengthMax) return undefined;
  const word = lettersOf(unknown);
  const [nearest] = known
    .map((name) => ({ name, ...compare(word, lettersOf(name)) }))
    .filter(({ is_similar }) => is_similar)
    .toSorted((one, other) => one.distance - other.distance);
  return nearest?.name;
}

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

/** Maximum length of a client's word that a message repeats. */
const QUOTED_MAX = 60;

/** A word of a client in quotation marks: shortened, and without characters that cannot be printed. */
export function quote(word: string): string {
  const printable = word.slice(0, QUOTED_MAX).replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, '?');
  return `"${printable}${word.length > QUOTED_MAX ? '…' : ''}"`;
}

/** " Did you mean …?" if a known word is similar, otherwise an empty text. */
export function hintAt(unknown: string, known: readonly string[]): string {
  const nearest = findNearestWord(unknown, known);
  return nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
}
