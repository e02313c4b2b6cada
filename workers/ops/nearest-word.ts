import { editDistance } from '../../jobs/users/settings/nearest-setting.ts';

/** Returns the known word with the smallest edit distance, or null if that is half of the word or more. */
export function nearestWord(word: string, known: readonly string[]): string | null {
  const byDistance = known
    .map((name) => ({ name, edits: editDistance(word.slice(0, 60).toLowerCase(), name) }))
    .toSorted((one, other) => one.edits - other.edits);
  const [best] = byDistance;
  return best && best.edits * 2 <= best.name.length ? best.name : null;
}
