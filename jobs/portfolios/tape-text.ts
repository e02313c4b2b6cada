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
 * A spreadsheet takes a text that begins with one of these for a formula, which a borrower's name
 * could be; an apostrophe before it makes it a text again. Numbers stay numbers.
 */
function cell(value: string | number | boolean | null): string {
  if (value === null) return '';
  const text = String(value);
  const isNumber = /^-?\d+(\.\d+)?$/.test(text);
  return !isNumber && /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
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
