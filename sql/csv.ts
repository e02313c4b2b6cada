import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { sql } from './database/db.ts';

/**
 * `isWorded`: somebody may have worded it freely, so that it may hold any sign. `isPlain`: its type is known to be
 * none that Postgres shows otherwise than as its text (a flag), which spares making that text.
 */
export type Cell = { from: SqlFragment; isWorded: boolean; isPlain?: boolean };

/** Blanks, controls and what nobody sees: Unicode's \s, Z, Cc and Default_Ignorable_Code_Point. */
const UNSEEN =
  String.raw`\u0001-\u0020\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f` +
  String.raw`\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8` +
  String.raw`\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff`;

/** With what a formula begins, full-width and small signs too; the last one is an ordinary hyphen. */
const SIGNS = String.raw`=+@\u2212\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20-`;

/**
 * A spreadsheet takes a text that begins with one of these signs for a formula, also where it stands behind
 * blanks and what nobody sees. A number is none.
 */
const FORMULA = String.raw`^(?!-?[0-9]+(\.[0-9]+)?$)(?=[\t\r\n]|[${UNSEEN}]*[${SIGNS}])`;

/** What RFC 4180 wants in quotes. */
const QUOTED = String.raw`[",\r\n]`;

/** Stands between the words of a row while they are looked at together. */
const BETWEEN = String.raw`\u001f`;

/** Some words of a row, and no others, may have to be written otherwise than as they are. */
const PERHAPS = String.raw`(^|${BETWEEN})[${UNSEEN}${SIGNS}]|${QUOTED}`;

/**
 * The line of a csv that has these cells, with its end (RFC 4180). What could be a formula, such as a borrower's
 * name, is a text again behind an apostrophe. Few rows have such words, so those of a row are looked at together:
 * first by their bytes, which settles most rows for a fifth of the time, then by what may be wrong with any.
 */
export function csvLine(cells: readonly Cell[]): SqlFragment {
  const worded = cells.filter(({ isWorded }) => isWorded).map(asText);
  const asTheyAre = joined(cells.map((cell) => (cell.isPlain ? cell.from : asText(cell))));
  if (worded.length === 0) return ended(asTheyAre, cells.length);
  const written = joined(
    cells.map((cell) => (cell.isWorded ? harmless(asText(cell)) : asText(cell))),
  );
  const line = sql.fragment`
    case when ${sql.join(worded.map(beginsPlainly), sql.fragment` and `)}
           and concat(${listed(worded)}) !~ ${sql.literalValue(QUOTED)}
           or concat_ws(E'\\u001f', ${listed(worded)}) !~ ${sql.literalValue(PERHAPS)}
         then ${asTheyAre} else ${written} end`;
  return ended(line, cells.length);
}

const asText = ({ from }: Cell) => sql.fragment`(${from})::text`;
const listed = (cells: readonly SqlFragment[]) => sql.join(cells, sql.fragment`, `);

/** In the order of bytes with a letter, a digit or one of six signs that begin no formula, or not at all. */
const beginsPlainly = (words: SqlFragment) => {
  const bytes = sql.fragment`${words} collate "C"`;
  return sql.fragment`(
    ${bytes} >= 'A' and ${bytes} < '{' or ${bytes} >= '0' and ${bytes} < ':'
    or coalesce(${words}, '') = ''
  )`;
};

/** What is null is written as nothing. */
const joined = (cells: readonly SqlFragment[]) => sql.fragment`format(
  ${sql.literalValue(cells.map(() => '%s').join(','))},
  ${listed(cells)}
)`;

const harmless = (words: SqlFragment) => sql.fragment`
  regexp_replace(
    replace(regexp_replace(${words}, ${sql.literalValue(FORMULA)}, ''''), '"', '""'),
    ${sql.literalValue(`^.*${QUOTED}.*$`)}, '"\\&"'
  )`;

/** A line with nothing in it is passed over by its readers, and its row with it. */
const ended = (line: SqlFragment, width: number) =>
  width === 1
    ? sql.fragment`coalesce(nullif(${line}, ''), '""') || E'\\r\\n'`
    : sql.fragment`${line} || E'\\r\\n'`;

/** The line that names the columns. */
export const csvHeader = (columns: readonly string[]) => `${columns.join(',')}\r\n`;
