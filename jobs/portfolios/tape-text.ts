import { type Options, stringify } from 'csv-stringify/sync';
import type { TapeRow } from '../../sql/portfolios/tapes.ts';

type Rows = AsyncIterable<readonly TapeRow[]> | Iterable<readonly TapeRow[]>;
type Layout = { columns: readonly string[]; include_header: boolean };

/**
 * RFC 4180: lines end in CR LF, and what holds a comma, a quote or a line break is quoted. The rows are
 * written page by page, so that no tape is ever held as a whole.
 */
export async function* writeCsv(rows: Rows, { columns, include_header }: Layout) {
  // A line with nothing in it is passed over by its readers, and its loan with it.
  const options = { ...LINES, quoted_empty: columns.length === 1 };
  if (include_header) yield stringify([[...columns]], options);
  for await (const page of rows) {
    const records = page.map((row) => columns.map((name) => cell(row[name] ?? null)));
    yield stringify(records, options);
  }
}

const LINES: Options = { record_delimiter: 'windows', quoted_match: /[\r\n]/ };

/**
 * A spreadsheet takes a text that begins with one of these signs for a formula, also where they are
 * full-width or small, or stand behind blanks and what nobody sees.
 */
const FORMULA =
  /^[\t\r\n\0]|^[\s\p{Z}\p{Cc}\p{DI}]*[=+\-@\u2212\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20]/u;

/** What could be a formula, such as a borrower's name, is a text again behind an apostrophe. */
function cell(value: string | number | boolean | null): string {
  if (value === null) return '';
  const text = String(value);
  const isNumber = /^-?\d+(\.\d+)?$/.test(text);
  return !isNumber && FORMULA.test(text) ? `'${text}` : text;
}

/** One array of objects, with the columns in the order that was asked for. */
export async function* writeJson(rows: Rows, { columns }: Pick<Layout, 'columns'>) {
  let separator = '[\n';
  for await (const page of rows) {
    for (const row of page) {
      yield (
        separator + JSON.stringify(Object.fromEntries(columns.map((name) => [name, row[name]])))
      );
      separator = ',\n';
    }
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}
