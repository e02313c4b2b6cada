export type CsvRecord = { line: number; fields: string[] };

/** What is not CSV at all; the line is where it begins to go wrong. */
export class CsvBroken extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/**
 * The records of a CSV text (RFC 4180), each with the line that it begins on: fields between commas,
 * or between quotes, where a doubled quote is one and line breaks are text. A byte order mark at the
 * beginning and empty lines are passed over.
 */
export function readCsv(text: string): CsvRecord[] {
  const records: CsvRecord[] = [];
  let line = 1;
  let record: CsvRecord = { line, fields: [] };
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  while (at < text.length) {
    const { field, next } = text[at] === '"' ? quoted(text, at, line) : plain(text, at);
    line += field.split('\n').length - 1;
    record.fields.push(field);
    at = next;
    if (text[at] === ',') {
      at += 1;
      // A comma at the very end is followed by one more field, which is empty.
      if (at === text.length) record.fields.push('');
      continue;
    }
    if (text[at] === '\r' && text[at + 1] === '\n') at += 1;
    if (at < text.length && text[at] !== '\n' && text[at] !== '\r')
      throw new CsvBroken(line, 'Something follows a closing quote.');
    at += 1;
    line += 1;
    if (record.fields.length > 1 || record.fields[0] !== '') records.push(record);
    record = { line, fields: [] };
  }
  if (record.fields.length > 0) records.push(record);
  return records;
}

type Read = { field: string; next: number };

const END_OF_FIELD = /[,\r\n]/g;

function plain(text: string, from: number): Read {
  END_OF_FIELD.lastIndex = from;
  const end = END_OF_FIELD.exec(text)?.index ?? text.length;
  return { field: text.slice(from, end), next: end };
}

function quoted(text: string, from: number, line: number): Read {
  let field = '';
  for (let at = from + 1; ;) {
    const end = text.indexOf('"', at);
    if (end < 0) throw new CsvBroken(line, 'A quote is opened here and never closed.');
    field += text.slice(at, end);
    if (text[end + 1] !== '"') return { field, next: end + 1 };
    field += '"';
    at = end + 2;
  }
}
