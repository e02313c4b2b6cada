import { sql } from '../database/db.ts';
import { containsPattern } from '../table.ts';

/** The trigram indexes need three letters or digits in a row. */
export const hasTrigram = (words: string) => /[\p{L}\p{N}]{3}/u.test(words);

/** Maximum number of words that an index finds. Further words are compared with the rows found. */
const INDEXED_WORDS = 3;

/**
 * One pattern for each word of a name, in any order: "Whitfield, Nora" finds Nora Jane Whitfield. Words that an index can
 * find come first, and at least three of them. Null if no word is long enough.
 */
export function namePatterns(words: string): string[] | null {
  const each = words.split(/[\s,;]+/).filter((word) => word !== '');
  const indexed = each
    .filter(hasTrigram)
    .toSorted((one, other) => other.length - one.length)
    .slice(0, INDEXED_WORDS);
  const [longest] = indexed;
  if (longest === undefined) return null;
  const first = Array.from({ length: INDEXED_WORDS }, (_, at) => indexed[at] ?? longest);
  const others = each.filter((word) => !indexed.includes(word));
  return [...first, ...others].map(containsPattern);
}

export const textOrNull = (text: string | null | undefined) => sql.fragment`${text ?? null}::text`;
export const textsOrNull = (texts: string[] | null) =>
  texts === null ? sql.fragment`null::text[]` : sql.array(texts, 'text');
