import type { TapeRow } from '../../sql/portfolios/tapes.ts';

type Rows = AsyncIterable<readonly TapeRow[]> | Iterable<readonly TapeRow[]>;
type Layout = { columns: readonly string[]; include_header: boolean };

/** RFC 4180: lines end in CR LF, and what holds a comma, a quote or a line break is quoted. */
export async function* writeCsv(rows: Rows, { columns, include_header }: Layout) {
  if (include_header) yield line(columns);
  for await (const page of rows) {
    yield page.map((row) => line(columns.map((name) => cell(row[name] ?? null)))).join('');
  }
}

const line = (cells: readonly string[]) => `${cells.map(quoted).join(',')}\r\n`;
const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

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
