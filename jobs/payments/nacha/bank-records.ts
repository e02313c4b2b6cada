import { Invalid } from '../../errors.ts';

/** A record of 94 characters and its line number. */
export type BankRecord = { line: number; text: string };

export const RECORD_WIDTH = 94;
/** The largest file has about 10,000 records. More lines than this are empty lines. */
const LINES_MAX = 30_000;

/** Characters that some systems add: a byte order mark, Ctrl-Z, zero bytes. */
const AROUND = ['\u{FEFF}', '\u{1A}', '\0'];

/**
 * Splits a file into its records. Banks end lines with LF, CRLF or CR, or omit line breaks. Some trim
 * trailing spaces. Records without line breaks are numbered as if each were on its own line.
 */
export function splitRecords(file: string): BankRecord[] {
  const bare = AROUND.reduce((text, mark) => text.replaceAll(mark, ''), file);
  const lines = bare.split(/\r\n|\n|\r/, LINES_MAX + 1);
  if (lines.length > LINES_MAX)
    throw new Invalid({ file: `Has more than ${LINES_MAX} lines. Remove the empty ones.` });
  const records: BankRecord[] = [];
  let line = 0;
  for (const text of lines) {
    const characters = text.trimEnd();
    const parts = characters.length > RECORD_WIDTH ? cut(text, line + 1) : [characters];
    for (const part of parts) {
      line += 1;
      if (part !== '') records.push({ line, text: part.padEnd(RECORD_WIDTH) });
    }
  }
  return records;
}

/**
 * Splits a line of several records. The last record may lack trailing spaces only if it is the file header
 * or the file control.
 */
function cut(text: string, line: number): string[] {
  const parts = text.match(/.{1,94}/gsu) ?? [];
  const last = parts.at(-1) ?? '';
  if (last.trim() === '') parts.pop();
  const isWhole = last.length === RECORD_WIDTH || last.trim() === '' || /^[19]/.test(last);
  if (isWhole && parts.every((part) => /^[15-9]/.test(part))) return parts;
  throw new Invalid({
    file: `Line ${line} has ${text.trimEnd().length} characters. A record has ${RECORD_WIDTH}.`,
  });
}
