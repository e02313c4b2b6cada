import { hintAt, quote } from '../../../nearest-word.ts';
import { columnsOf, type BookFileName } from '../book-files.ts';
import type { Finding, FindingCode } from '../findings.ts';
import {
  compileSection,
  sourceColumnsOf,
  sourcesOf,
  type FieldReader,
} from '../mapping/compile-section.ts';
import { knownMeaning } from '../mapping/synonyms.ts';
import type { Mapping, Section } from '../mapping/mapping-schema.ts';
import { hasFile, type Book, type SourceFile } from './book.ts';

export const EMPTY_SECTION: Section = {
  columns: {},
  values: {},
  sign: {},
  ignore: [],
  when_filled: [],
  leave_out: {},
};

const sectionOf = (mapping: Mapping | null, name: BookFileName): Section =>
  mapping?.[name] ?? EMPTY_SECTION;

/** The names that the header line of this source may have. */
const knownNames = ({ mapping }: Pick<Book, 'mapping'>, { feeds }: SourceFile): string[] => [
  ...new Set(
    feeds.flatMap((name) => [
      ...Object.keys(columnsOf(name)),
      ...sourceColumnsOf(sectionOf(mapping, name)),
    ]),
  ),
];

/**
 * Known names that make a line the header line. Fewer are a coincidence, unless the line has only one field and the file
 * needs only one column.
 */
function knownNamesMin({ feeds }: SourceFile, fields: readonly string[]): number {
  const isOneField = fields.filter((field) => field.trim() !== '').length === 1;
  const needsOne = feeds.every(
    (name) => Object.values(columnsOf(name)).filter(({ is_required }) => is_required).length === 1,
  );
  return isOneField && needsOne ? 1 : 2;
}

/** Whether the record is the header line: it has enough of the names that are expected. */
export function isHeader(book: Book, source: SourceFile, fields: readonly string[]): boolean {
  const known = new Set(knownNames(book, source));
  const found = fields.filter((field) => known.has(field.trim()));
  return found.length >= knownNamesMin(source, fields);
}

/** Whether the record may be a header line with other names: enough of them have a known meaning. */
export function resemblesHeader(source: SourceFile, fields: readonly string[]): boolean {
  const targets = source.feeds.flatMap((name) => Object.keys(columnsOf(name)));
  const meant = fields.filter((field) => knownMeaning(field.trim(), targets) !== undefined);
  return meant.length >= knownNamesMin(source, fields);
}

const DIGITS_SHOWN_MAX = 3;

/** A name of the file for a message. One with many digits may be a number of a person, so its digits are hidden. */
const shown = (name: string): string =>
  (name.match(/\d/g)?.length ?? 0) > DIGITS_SHOWN_MAX ? name.replaceAll(/\d/g, '*') : name;

export type Header = { readers: readonly FieldReader[]; findings: readonly Finding[] };

/** The readers of a book file's columns, and the mistakes of the header line. */
export function readHeader(
  book: Book,
  source: SourceFile,
  name: BookFileName,
  { line, names }: { line: number; names: readonly string[] },
): Header {
  const { mapping } = book;
  const findings: Finding[] = [];
  const refuse = (code: FindingCode, column: string | null, reason: string) =>
    findings.push({
      file: source.path,
      line,
      column: column === null ? null : shown(column),
      code,
      severity: 'error',
      reason,
    });
  if (names.some((column) => column.includes('\0'))) {
    refuse('unreadable_file', null, 'The header line is not text. Save the file as CSV UTF-8.');
    return { readers: [], findings };
  }
  const columns = columnsOf(name);
  const section = sectionOf(mapping, name);
  const twice = names.find((column, at) => column !== '' && names.indexOf(column) < at);
  if (twice !== undefined)
    refuse(
      'duplicate_column',
      twice,
      `The column ${quote(shown(twice))} appears twice. Rename or remove one of them.`,
    );
  // The columns of a source are compared once, with all that it feeds.
  if (source.feeds[0] === name) {
    const used = new Set(source.feeds.flatMap((fed) => usedNames(mapping, fed, names)));
    const ignoresAll = source.feeds.some((fed) => sectionOf(mapping, fed).ignore.includes('*'));
    for (const column of names.filter(
      (unknown) => unknown !== '' && !used.has(unknown) && !ignoresAll,
    ))
      refuse('unknown_column', column, unknownColumn(column, book, source));
  }
  for (const column of sourceColumnsOf(section).filter((wanted) => !names.includes(wanted)))
    refuse(
      'missing_column',
      column,
      `The mapping names the column ${quote(column)}, which the file does not have.${hintAt(column, names.map(shown))}`,
    );
  const readers = mapping
    ? compileSection(columns, section, mapping, names)
    : readersOfOwnNames(columns, names);
  const found = new Set(readers.map(({ target }) => target));
  const missing = Object.entries(columns).filter(
    ([column, { is_required, required_without }]) =>
      !found.has(column) &&
      (is_required || (required_without !== null && !hasFile(book, required_without))),
  );
  // A hint for each missing column is more useful than a hint for each unknown one, if no mapping is given.
  for (const [column] of missing)
    refuse('missing_column', column, missingColumn(name, column, names, found, mapping));
  return { readers, findings };
}

function missingColumn(
  file: BookFileName,
  column: string,
  names: readonly string[],
  found: ReadonlySet<string>,
  mapping: Mapping | null,
): string {
  const unused = names.filter((name) => !found.has(name));
  const hint = hintAt(column, unused.map(shown));
  return mapping
    ? `The mapping says nothing about the required column ${column} of ${file}.csv.${hint}`
    : `The required column ${column} is missing.${hint}`;
}

function usedNames(
  mapping: Mapping | null,
  name: BookFileName,
  header: readonly string[],
): string[] {
  const section = sectionOf(mapping, name);
  const own = sourcesOf(columnsOf(name), section, header).flatMap(([, source]) =>
    'from' in source ? source.from : [],
  );
  return [...own, ...sourceColumnsOf(section), ...section.ignore];
}

function unknownColumn(column: string, book: Book, source: SourceFile): string {
  const targets = source.feeds.flatMap((name) => Object.keys(columnsOf(name)));
  const meaning = knownMeaning(column, targets);
  const hint = meaning === undefined ? hintAt(column, targets) : ` Did you mean "${meaning}"?`;
  return book.mapping
    ? `The mapping neither uses nor ignores the column ${quote(shown(column))}.${hint}`
    : `The book format has no column ${quote(shown(column))}.${hint}`;
}

const readersOfOwnNames = (
  columns: ReturnType<typeof columnsOf>,
  names: readonly string[],
): FieldReader[] =>
  names.flatMap((name, place) =>
    Object.hasOwn(columns, name)
      ? [{ target: name, label: name, read: (fields) => fields[place]?.trim() || undefined }]
      : [],
  );
