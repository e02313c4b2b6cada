import { ZipRefused } from '../../../files/read-zip.ts';
import { CsvSyntaxError, readCsv, type CsvRecord } from '../../../files/read-csv.ts';
import { columnsOf, type BookFileName, type BookRow } from '../book-files.ts';
import type { Column } from '../columns.ts';
import { unmarkFormula } from '../formula-mark.ts';
import { FINDING_CODES, type Finding, type FindingCode } from '../findings.ts';
import type { FieldReader } from '../mapping/compile-section.ts';
import type { Section } from '../mapping/mapping-schema.ts';
import { ValueProblem } from '../mapping/value-problem.ts';
import type { Book, BookLine, SourceFile } from './book.ts';
import { EMPTY_SECTION, isHeader, readHeader, resemblesHeader } from './header.ts';
import { isTotalsLine } from './totals-line.ts';
import { createDeduplication } from './deduplicate.ts';

/** Lines before the header line, such as a title. */
const PREAMBLE_MAX = 20;

/**
 * Streams the lines of a book file, of all source files that feed it. Lines with a mistake have no row. A finding about
 * the whole file comes as a line of its own.
 */
export async function* readRows<Name extends BookFileName>(
  book: Book,
  name: Name,
): AsyncGenerator<BookLine<Name>> {
  const keep = createDeduplication(name);
  for (const source of book.sources.filter(({ feeds }) => feeds.includes(name))) {
    const isDerived = source.feeds.length > 1 && name !== 'loans';
    for await (const line of readSource(book, source, name))
      if (!isDerived || line.row === null) yield line;
      else {
        const kept = keep(line);
        if (kept !== null) yield kept;
      }
  }
}

async function* readSource<Name extends BookFileName>(
  book: Book,
  source: SourceFile,
  name: Name,
): AsyncGenerator<BookLine<Name>> {
  const found: Finding[] = [];
  const report = (code: FindingCode, line: number, reason: string, column: string | null = null) =>
    found.push({
      file: source.path,
      line,
      column,
      code,
      severity: FINDING_CODES[code].severity,
      reason,
    });
  // A source that feeds several book files is reported once.
  const isFirst = source.feeds[0] === name;
  try {
    for await (const line of readRecords(book, source, name, report)) {
      if (found.length > 0 && isFirst) yield wholeFile(source, found.splice(0));
      found.length = 0;
      yield line;
    }
  } catch (error) {
    if (error instanceof CsvSyntaxError) report('unreadable_file', error.line, error.message);
    else if (error instanceof ZipRefused) report('unreadable_file', 1, error.message);
    else throw error;
  }
  if (found.length > 0 && isFirst) yield wholeFile(source, found);
}

const wholeFile = <Name extends BookFileName>(
  { path }: SourceFile,
  findings: readonly Finding[],
): BookLine<Name> => ({
  file: path,
  line: findings[0]?.line ?? 1,
  row: null,
  values: {},
  findings: [...findings],
  labelOf: (column) => column,
});

type Report = (code: FindingCode, line: number, reason: string) => unknown;

async function* readRecords<Name extends BookFileName>(
  book: Book,
  source: SourceFile,
  name: Name,
  report: Report,
): AsyncGenerator<BookLine<Name>> {
  const records = readCsv(source.open(), {
    guesses_encoding: true,
    onGuess: (encoding) =>
      report(
        'encoding_guessed',
        1,
        `Is not UTF-8, and was read as ${encoding === 'windows-1252' ? 'Windows-1252' : encoding.toUpperCase()}. Check a name with an accent, or save the file as UTF-8.`,
      ),
  });
  const reading = await findHeader(book, source, records);
  if (reading === null) {
    report('unreadable_file', 1, 'The file is empty. Export it again.');
    return;
  }
  const { header, skipped, rest } = reading;
  // Its fields may be those of a person, so no message repeats them.
  if (!isHeader(book, source, header.fields) && !resemblesHeader(source, header.fields)) {
    report('unreadable_file', 1, NO_HEADER);
    return;
  }
  if (skipped > 0)
    report(
      'lines_skipped',
      1,
      `Skipped ${skipped === 1 ? 'a line' : `${skipped} lines`} before the header line ${header.line}.`,
    );
  const names = header.fields.map((field) => field.trim());
  const { readers, findings } = readHeader(book, source, name, { line: header.line, names });
  if (findings.length > 0) {
    yield { ...wholeFile<Name>(source, findings) };
    return;
  }
  const readRecord = createRecordReader(book, source, name, { names, readers });
  let held: CsvRecord[] = [];
  for await (const record of rest()) {
    if (isTotalsLine(record.fields, names.length)) {
      held.push(record);
      continue;
    }
    // Only the last lines of a file are totals.
    for (const early of held) yield* readRecord(early);
    held = [];
    yield* readRecord(record);
  }
  for (const { line } of held)
    report(
      'totals_line',
      line,
      'Looks like a line with totals, and is left out. Compare its totals with those of the check.',
    );
}

const NO_HEADER =
  'Has no header line. Its first line must be the names of the columns, at least two of which the book format or the mapping knows.';

/** The header line: the first one with known names, otherwise the first one with the most fields. */
async function findHeader(book: Book, source: SourceFile, records: AsyncGenerator<CsvRecord>) {
  const beginning: CsvRecord[] = [];
  let at = -1;
  while (beginning.length < PREAMBLE_MAX && at < 0) {
    const { value, done } = await records.next();
    if (done) break;
    if (isHeader(book, source, value.fields)) at = beginning.length;
    beginning.push(value);
  }
  if (at < 0) {
    const widest = Math.max(...beginning.map(({ fields }) => fields.length));
    at = beginning.findIndex(({ fields }) => fields.length === widest);
  }
  const header = beginning[at];
  if (!header) return null;
  async function* rest() {
    yield* beginning.slice(at + 1);
    yield* records;
  }
  return { header, skipped: at, rest };
}

/** Guessing the encoding of single bytes could misspell a borrower's name. */
const NO_UTF_8 = 'Contains a character that is not valid UTF-8. Save the file as UTF-8.';

/** Distinct values of a column that are remembered: dates, codes and rates repeat. */
const REMEMBERED_MAX = 2_000;

type CheckedReader = FieldReader & {
  column: Column;
  remembered: Map<string, unknown> | null;
};

function createRecordReader<Name extends BookFileName>(
  book: Book,
  source: SourceFile,
  name: Name,
  { names, readers }: { names: readonly string[]; readers: readonly FieldReader[] },
) {
  const columns = columnsOf(name);
  const section: Section = book.mapping?.[name] ?? EMPTY_SECTION;
  const hasBorrowers = book.sources.some(({ feeds }) => feeds.includes('borrowers'));
  const checked: CheckedReader[] = readers.flatMap((reader) => {
    const column = columns[reader.target];
    const isShared =
      column && !['list', 'json'].includes(column.form) && !column.is_personal_number;
    return column ? [{ ...reader, column, remembered: isShared ? new Map() : null }] : [];
  });
  const labels = new Map(readers.map(({ target, label }) => [target, label]));
  const labelOf = (column: string) => labels.get(column) ?? column;
  const isLeftOut = createFilter(section, names);

  return function* (record: CsvRecord): Generator<BookLine<Name>> {
    const { line } = record;
    const fields = fitFields(record.fields, names.length);
    const findings: Finding[] = [];
    const refuse = (code: FindingCode, column: string | null, reason: string) =>
      findings.push({ file: source.path, line, column, code, severity: 'error', reason });
    if (fields === null) {
      refuse(
        'field_count',
        null,
        `Has ${record.fields.length} fields, and the header line has ${names.length}. A separator inside a field must be between quotation marks.`,
      );
      yield { file: source.path, line, row: null, values: {}, findings, labelOf };
      return;
    }
    if (fields.every((field) => field.trim() === '') || isLeftOut(fields)) return;
    const row: Record<string, unknown> = {};
    for (const reader of checked) {
      const problem = readField(reader, { fields, line }, row);
      const isNeeded =
        reader.column.is_required || (reader.column.required_without !== null && !hasBorrowers);
      if (problem !== null) refuse(codeOf(reader.column, problem), reader.label, problem);
      else if (isNeeded && row[reader.target] === undefined)
        refuse('missing_value', reader.label, 'Is required.');
    }
    const isValid = findings.length === 0;
    yield {
      file: source.path,
      line,
      row: isValid ? (row as BookRow<Name>) : null,
      values: row,
      findings,
      labelOf,
    };
  };
}

/** A rate above 1 has a code of its own, because it is a frequent mistake. */
const codeOf = ({ form }: Column, problem: string): FindingCode =>
  form === 'rate' && problem.startsWith('Must be a fraction')
    ? 'rate_looks_like_percent'
    : 'invalid_value';

/** Reads one field into the row. Returns its mistake, or null. */
function readField(
  { target, read, column, remembered }: CheckedReader,
  { fields, line }: CsvRecord,
  row: Record<string, unknown>,
): string | null {
  let value: string | undefined;
  try {
    value = read(fields, line);
  } catch (error) {
    if (error instanceof ValueProblem) return error.message;
    throw error;
  }
  if (value === undefined) return null;
  if (column.form === 'text' || column.form === 'list') value = unmarkFormula(value);
  const known = remembered?.get(value);
  if (known !== undefined) {
    row[target] = known;
    return null;
  }
  if (value.includes('\uFFFD')) return NO_UTF_8;
  const parsed = column.schema.safeParse(value);
  if (!parsed.success) return parsed.error.issues[0]?.message ?? 'Has a value that is not allowed.';
  row[target] = parsed.data;
  if (remembered && remembered.size < REMEMBERED_MAX) remembered.set(value, parsed.data);
  return null;
}

/** The fields of a record with as many as the header. Spreadsheets add empty ones; null if others are added. */
function fitFields(fields: string[], count: number): string[] | null {
  if (fields.length === count) return fields;
  const isPadded =
    fields.length > count && fields.slice(count).every((field) => field.trim() === '');
  return isPadded ? fields.slice(0, count) : null;
}

/** Whether the mapping leaves the record out: a needed column is empty, or a column has one of these values. */
function createFilter(section: Section, names: readonly string[]) {
  const needed = section.when_filled.map((column) => names.indexOf(column));
  const refused = Object.entries(section.leave_out).map(([column, values]) => ({
    place: names.indexOf(column),
    values: new Set(values.map((value) => value.toLowerCase())),
  }));
  return (fields: readonly string[]): boolean =>
    needed.some((place) => (fields[place]?.trim() ?? '') === '') ||
    refused.some(({ place, values }) => values.has((fields[place] ?? '').trim().toLowerCase()));
}
