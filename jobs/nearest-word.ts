import { editDistance } from './edit-distance.ts';

/** A longer word cannot be a misspelling of a known one. */
const LENGTH_MAX = 60;
/** Shorter words are part of too many names. */
const PART_LENGTH_MIN = 4;

/**
 * The known word that an unknown word probably means: it has the same letters, begins with it, contains it, or
 * differs in at most two of five letters. Ignores case, hyphens, dots and underscores. Undefined if no word is similar.
 */
export function findNearestWord(unknown: string, known: readonly string[]): string | undefined {
  if (unknown.length > LENGTH_MAX) return undefined;
  const word = lettersOf(unknown);
  const [nearest] = known
    .map((name) => ({ name, ...compare(word, lettersOf(name)) }))
    .filter(({ is_similar }) => is_similar)
    .toSorted((one, other) => one.distance - other.distance);
  return nearest?.name;
}

const lettersOf = (word: string) => word.toLowerCase().replaceAll(/[-_.\s]/g, '');

function compare(word: string, name: string): { distance: number; is_similar: boolean } {
  if (word === '') return { distance: Infinity, is_similar: false };
  if (word.length >= PART_LENGTH_MIN && name.startsWith(word))
    return { distance: 0.1, is_similar: true };
  const distance = editDistance(word, name);
  const is_similar = distance * 5 <= name.length * 2;
  // A misspelled word comes before a word that is only a part of the name.
  if (!is_similar && word.length >= PART_LENGTH_MIN && name.includes(word))
    return { distance: name.length, is_similar: true };
  return { distance, is_similar };
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
