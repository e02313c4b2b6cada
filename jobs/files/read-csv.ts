import { pipeline, Readable } from 'node:stream';
import { CsvError, parse, type Options } from 'csv-parse';

export type ByteChunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
export type CsvRecord = { line: number; fields: string[] };

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
 * - Fields are separated by commas or, if the header line has no comma, by semicolons or tabs.
 * - The encoding is UTF-8, or UTF-16 with a byte order mark. Invalid bytes become U+FFFD.
 */
export async function* readCsv(bytes: ByteChunks): AsyncGenerator<CsvRecord> {
  const text = decodeText(bytes);
  const beginning = await readBeginning(text);
  let line = 1;
  let begins = line;
  const options: Options<CsvRecord, string[]> = {
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
  const parser = parse(options as unknown as Options);
  // The parser, which is read below, reports errors of the source.
  pipeline(Readable.from(prependText(beginning, text)), parser, () => {});
  try {
    for await (const record of parser) yield record as CsvRecord;
  } catch (error) {
    throw error instanceof CsvError ? new CsvSyntaxError(line, errorMessage(error)) : error;
  }
}

const countLineEnds = (field: string) => field.match(/\r\n|\r|\n/g)?.length ?? 0;

const ERROR_MESSAGES: Partial<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'An opening quotation mark is never closed.',
  CSV_INVALID_CLOSING_QUOTE: 'Text follows a closing quotation mark.',
  INVALID_OPENING_QUOTE: 'A field contains a quotation mark. Quote the field and double the mark.',
  CSV_MAX_RECORD_SIZE: `Has more than ${CHARACTERS_MAX} characters. Check for a quotation mark that is never closed.`,
};

const errorMessage = ({ code, message }: CsvError) => ERROR_MESSAGES[code] ?? message;

/** Decodes the bytes. A byte order mark selects the encoding and is removed. */
async function* decodeText(bytes: ByteChunks): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  let waiting = Buffer.alloc(0);
  for await (const chunk of bytes) {
    waiting = Buffer.concat([waiting, chunk]);
    if (waiting.length < 2) continue;
    decoder ??= new TextDecoder(detectEncoding(waiting));
    yield decoder.decode(waiting, { stream: true });
    waiting = Buffer.alloc(0);
  }
  yield (decoder ?? new TextDecoder()).decode(waiting);
}

function detectEncoding(beginning: Buffer): string {
  const mark = beginning.readUInt16BE(0);
  if (mark === 0xfffe) return 'utf-16le';
  return mark === 0xfeff ? 'utf-16be' : 'utf-8';
}

/** The beginning of the text, at least up to the end of the header line. */
async function readBeginning(text: AsyncGenerator<string>): Promise<string> {
  let beginning = '';
  while (beginning.length < CHARACTERS_MAX && !/[^\r\n][\r\n]/.test(beginning)) {
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

function detectDelimiter(beginning: string): string {
  const [head = ''] = beginning
    .replace(/^[\r\n]+/, '')
    .replaceAll(/"[^"]*"?/g, '')
    .split(/[\r\n]/, 1);
  if (head.includes(',')) return ',';
  const others = [';', '\t'].filter((sign) => head.includes(sign));
  if (others.length > 1)
    throw new CsvSyntaxError(1, 'Contains semicolons or tabs. Separate the columns with commas.');
  return others[0] ?? ',';
}
