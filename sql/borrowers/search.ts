import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { sql } from '../database/db.ts';
import { containsPattern } from '../table.ts';

/** The SQLSTATE of a search that matches more than 20,000 records (`app.refuse_broad_search`). */
export const BROAD_SEARCH = 'BROAD';

/** Whether one of the searches finds the row. Each search is a function that returns ids. */
export const isFoundBy = (searches: readonly SqlFragment[]) => sql.fragment`
  row.id = any(app.refuse_broad_search(array(
    ${sql.join(
      searches.map((search) => sql.fragment`(select ${search} as id limit 80001)`),
      sql.fragment` union all `,
    )}
  )))
`;

/** The trigram indexes need three letters or digits in a row. */
export const hasTrigram = (words: string) => /[\p{L}\p{N}]{3}/u.test(words);

/**
 * The first arguments of `app.search_borrowers`: one pattern for each word of a name, in any order, so that "Whitfield,
 * Nora" finds Nora Jane Whitfield. An index finds the two longest words. If no word is long enough, all are null.
 */
export function namePatterns(words: string | null) {
  const each = (words ?? '').split(/[\s,;]+/).filter((word) => word !== '');
  const [first, second] = each
    .filter(hasTrigram)
    .toSorted((one, other) => other.length - one.length);
  const others = each.filter((word) => word !== first && word !== second);
  return sql.fragment`
    ${textOrNull(patternOrNull(first))}, ${textOrNull(patternOrNull(second))},
    ${sql.array(others.map(containsPattern), 'text')}
  `;
}

const patternOrNull = (word: string | undefined) =>
  word === undefined ? null : containsPattern(word);

export const textOrNull = (text: string | null) => sql.fragment`${text}::text`;
