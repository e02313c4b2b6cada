import type { ExportedRow } from '../../../sql/books/export-rows.ts';
import { columnsOf, type BookFileName } from '../format/book-files.ts';
import type { Column } from '../format/columns.ts';
import { markFormula } from '../format/formula-mark.ts';

/** The text of a field. An empty text means no value. */
function fieldOf({ form, is_required }: Column, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (form === 'list') return Array.isArray(value) ? markFormula(value.join('|')) : '';
  if (form === 'json') return isEmptyObject(value) && !is_required ? '' : JSON.stringify(value);
  if (typeof value === 'object') return JSON.stringify(value);
  return form === 'text' || form === 'choice' ? markFormula(String(value)) : String(value);
}

const isEmptyObject = (value: unknown) =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.keys(value).length === 0;

/** RFC 4180. A field with blanks at an end is quoted too, so that no reader trims it. */
const quoted = (text: string) =>
  /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

const line = (fields: readonly string[]) => `${fields.map(quoted).join(',')}\r\n`;

/** The header and the lines of a book file, in the format's columns. Pages are read one at a time. */
export async function* fileLines(
  name: BookFileName,
  pages: AsyncIterable<readonly ExportedRow[]>,
): AsyncGenerator<Uint8Array> {
  const columns = Object.entries(columnsOf(name));
  yield Buffer.from(line(columns.map(([column]) => column)));
  for await (const rows of pages) {
    const lines = rows.map((row) =>
      line(columns.map(([key, column]) => fieldOf(column, row[key]))),
    );
    yield Buffer.from(lines.join(''));
  }
}
