import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { sql } from './database/db.ts';

/**
 * `isWorded`: people word it freely, so it may contain any character. `isPlain`: a type that format()
 * prints like its text cast (a flag), so the cast is omitted.
 */
export type Cell = { from: SqlFragment; isWorded: boolean; isPlain?: boolean };

/**
 * Blanks, control characters and invisible characters: Unicode's \s, Z, Cc and
 * Default_Ignorable_Code_Point.
 */
const INVISIBLE_CHARACTERS =
  String.raw`\u0001-\u0020\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f` +
  String.raw`\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8` +
  String.raw`\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff`;

/**
 * Characters that begin a formula, including full-width and small forms. The last one is an ordinary
 * hyphen.
 */
const SIGNS = String.raw`=+@\u2212\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20-`;

/**
 * Spreadsheets treat a text as a formula if it begins with one of these characters, even behind blanks or
 * invisible characters. Numbers are not formulas. The files of a book have their own pattern
 * (jobs/books/format/formula-mark.ts): an import must be able to remove the mark, and a number with a plus is not marked.
 */
const FORMULA = String.raw`^(?!-?[0-9]+(\.[0-9]+)?$)(?=[\t\r\n]|[${INVISIBLE_CHARACTERS}]*[${SIGNS}])`;

/** Characters that RFC 4180 requires in quotes. */
const QUOTED = String.raw`[",\r\n]`;

/** Separates the texts of a row while one pattern checks them together. */
const CELL_SEPARATOR = String.raw`\u001f`;

/** Matches rows in which a text may need to be changed. Rows that do not match are written unchanged. */
const MAY_NEED_ESCAPING = String.raw`(^|${CELL_SEPARATOR})[${INVISIBLE_CHARACTERS}${SIGNS}]|${QUOTED}`;

/**
 * A CSV line with these cells, including its line end (RFC 4180). A text that could be a formula, such as a
 * borrower's name, gets an apostrophe in front. Few rows need this, so two cheap checks cover all texts of
 * a row first: a comparison of bytes, which settles most rows, and then one pattern.
 */
export function csvLine(cells: readonly Cell[]): SqlFragment {
  const worded = cells.filter(({ isWorded }) => isWorded).map(asText);
  const asTheyAre = joinCells(cells.map((cell) => (cell.isPlain ? cell.from : asText(cell))));
  if (worded.length === 0) return endLine(asTheyAre, cells.length);
  const written = joinCells(
    cells.map((cell) => (cell.isWorded ? escapeCell(asText(cell)) : asText(cell))),
  );
  const line = sql.fragment`
    case when ${sql.join(worded.map(startsWithLetterOrDigit), sql.fragment` and `)}
           and concat(${listCells(worded)}) !~ ${sql.literalValue(QUOTED)}
           or concat_ws(E'\\u001f', ${listCells(worded)}) !~ ${sql.literalValue(MAY_NEED_ESCAPING)}
         then ${asTheyAre} else ${written} end`;
  return endLine(line, cells.length);
}

const asText = ({ from }: Cell) => sql.fragment`(${from})::text`;
const listCells = (cells: readonly SqlFragment[]) => sql.join(cells, sql.fragment`, `);

/**
 * The text is empty, or begins with a letter, a digit or one of six harmless characters (in byte order).
 */
const startsWithLetterOrDigit = (words: SqlFragment) => {
  const bytes = sql.fragment`${words} collate "C"`;
  return sql.fragment`(
    ${bytes} >= 'A' and ${bytes} < '{' or ${bytes} >= '0' and ${bytes} < ':'
    or coalesce(${words}, '') = ''
  )`;
};

const joinCells = (cells: readonly SqlFragment[]) => sql.fragment`format(
  ${sql.literalValue(cells.map(() => '%s').join(','))},
  ${listCells(cells)}
)`;

const escapeCell = (words: SqlFragment) => sql.fragment`
  regexp_replace(
    replace(regexp_replace(${words}, ${sql.literalValue(FORMULA)}, ''''), '"', '""'),
    ${sql.literalValue(`^.*${QUOTED}.*$`)}, '"\\&"'
  )`;

/** CSV readers skip empty lines, so a row with one empty cell is written as "". */
const endLine = (line: SqlFragment, width: number) =>
  width === 1
    ? sql.fragment`coalesce(nullif(${line}, ''), '""') || E'\\r\\n'`
    : sql.fragment`${line} || E'\\r\\n'`;

export const csvHeader = (columns: readonly string[]) => `${columns.join(',')}\r\n`;
