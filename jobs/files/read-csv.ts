import { pipeline, Readable } from 'node:stream';
import { CsvError, parse, type Options } from 'csv-parse';
import { decodeText, type Encoding } from './decode-text.ts';

export type ByteChunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
export type CsvRecord = { line: number; fields: string[] };

export type CsvOptions = {
  /** Reads bytes that are not UTF-8 as Windows-1252. */
  guesses_encoding?: boolean;
  onGuess?: (encoding: Encoding) => void;
};

/** The file is not valid CSV. `line` is the line on which the invalid field starts. */
export class CsvSyntaxError extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** Limits memory: without it, an unclosed quote would read the rest of the file as one field. */
const CHARACTERS_MAX = 100_000;
const FIELDS_MAX = 1_000;

/**
 * Streams the records of a CSV file (RFC 4180), each with the line on which it starts.
 *
 * - Lines end in CR LF, LF or CR. Empty lines are skipped.
 * - Fields are separated by commas, semicolons, tabs or vertical bars: by the sign that one of the first lines has
 *   most often.
 * - The encoding is UTF-8, or UTF-16 with a byte order mark. Invalid bytes become U+FFFD, unless the encoding may be
 *   guessed.
 */
export async function* readCsv(
  bytes: ByteChunks,
  options: CsvOptions = {},
): AsyncGenerator<CsvRecord> {
  const text = decodeText(bytes, options);
  const beginning = await readBeginning(text);
  let line = 1;
  let begins = line;
  const settings: Options<CsvRecord, string[]> = {
    delimiter: detectDelimiter(beginning),
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: CHARACTERS_MAX,
    cast(field, { index }) {
      if (index >= FIELDS_MAX)
        throw new CsvSyntaxError(line, `Has more than ${FIELDS_MAX} fields.`);
      line += countLineEnds(field);
      return field;
    },
    on_record(fields) {
      const record = { line: begins, fields };
      begins = line += 1;
      return fields.length > 1 || fields[0] !== '' ? record : null;
    },
  };
  // The library's types support a different record type only for named columns.
  const parser = parse(settings as unknown as Options);
  // The parser, which is read below, reports errors of the source.
  pipeline(Readable.from(prependText(beginning, text)), parser, () => {});
  try {
    for await (const record of parser) yield record as CsvRecord;
  } catch (error) {
    throw error instanceof CsvError ? new CsvSyntaxError(line, errorMessage(error)) : error;
  }
}

const countLineEnds = (field: string) =>
  field.includes('\n') || field.includes('\r') ? (field.match(/\r\n|\r|\n/g)?.length ?? 0) : 0;

const ERROR_MESSAGES: Partial<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'An opening quotation mark is never closed.',
  CSV_INVALID_CLOSING_QUOTE: 'Text follows a closing quotation mark.',
  INVALID_OPENING_QUOTE: 'A field contains a quotation mark. Quote the field and double the mark.',
  CSV_MAX_RECORD_SIZE: `Has more than ${CHARACTERS_MAX} characters. Check for a quotation mark that is never closed.`,
};

const errorMessage = ({ code, message }: CsvError) => ERROR_MESSAGES[code] ?? message;

/** Exports may have a title, dates and blank lines before the header line. */
const BEGINNING_LINES = 20;
const BEGINNING_CHARACTERS_MAX = CHARACTERS_MAX;

/** The beginning of the text, with the header line. */
async function readBeginning(text: AsyncGenerator<string>): Promise<string> {
  let beginning = '';
  while (
    beginning.length < BEGINNING_CHARACTERS_MAX &&
    (beginning.match(/[^\r\n][\r\n]/g)?.length ?? 0) < BEGINNING_LINES
  ) {
    const { value, done } = await text.next();
    if (done) break;
    beginning += value;
  }
  return beginning;
}

async function* prependText(beginning: string, text: AsyncGenerator<string>) {
  yield beginning;
  yield* text;
}

const DELIMITERS = [',', ';', '\t', '|'] as const;

function detectDelimiter(beginning: string): string {
  const lines = beginning
    .replaceAll(/"[^"]*"?/g, '')
    .split(/[\r\n]+/, BEGINNING_LINES)
    .map((line) => DELIMITERS.map((sign) => line.split(sign).length - 1));
  const most = DELIMITERS.map((_, at) => Math.max(...lines.map((counts) => counts[at] ?? 0)));
  return DELIMITERS[most.indexOf(Math.max(...most))] ?? ',';
}
