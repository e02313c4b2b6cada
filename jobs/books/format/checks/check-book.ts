import { BOOK_FILE_NAMES, BOOK_FILES, type BookFileName, type BookRow } from '../book-files.ts';
import { applySwitches, FINDING_CODES, type Finding, type WarningSwitches } from '../findings.ts';
import { hasFile, type Book, type BookLine } from '../reading/book.ts';
import { readRows } from '../reading/read-rows.ts';
import { createDocumentCheck } from './document-files.ts';
import { createDuplicateFinder, createShortBorrowers } from './duplicate-borrowers.ts';
import type { Issue } from './issue.ts';
import { createKeyCheck, type RepeatedKeys } from './repeated-keys.ts';
import {
  addOthers,
  checkAgainstOthers,
  createRecordsIndex,
  isReferred,
  toKnown,
} from './known-records.ts';
import { checkOwnRecord } from './own-record-checks.ts';
import { createReferenceCheck, type FindKnown } from './references.ts';
import { createReversalCheck } from './reversals.ts';
import { checkRow } from './row-checks.ts';

export type CheckOptions = {
  /** The business date. */
  today: string;
  switches?: WarningSwitches;
  /** The records of a kind that exist already, of these keys. Without it, only the book is known. */
  findKnown?: FindKnown;
};

/** A valid row of a book file, with its place. */
export type CheckedRow<Name extends BookFileName = BookFileName> = {
  file: Name;
  line: number;
  values: BookRow<Name>;
  /** The name of the file that was sent, and of a column in it. */
  source: string;
  labelOf: (column: string) => string;
};

/** `history_of`: the loan that lacks a transaction or an event because of an error. */
export type BookItem = { row: CheckedRow } | { finding: Finding; history_of?: string };

/**
 * Reads a book once, file by file, and passes on its valid rows and everything that is wrong: in the form of the files,
 * in a row, between rows and between files. Memory holds the keys of loans and borrowers, not their rows.
 */
export async function* checkBook(book: Book, options: CheckOptions): AsyncGenerator<BookItem> {
  const { switches = {} } = options;
  for await (const item of checkFiles(book, options)) {
    if ('row' in item) yield item;
    else {
      const finding = applySwitches(item.finding, switches);
      if (finding !== null) yield { ...item, finding };
    }
  }
}

async function* checkFiles(book: Book, options: CheckOptions): AsyncGenerator<BookItem> {
  for (const finding of book.findings) yield { finding };
  if (book.findings.some(({ severity }) => severity === 'error')) return;
  const documents = createDocumentCheck(book);
  const shared = {
    options,
    hasFile: (name: BookFileName) => hasFile(book, name),
    index: createRecordsIndex(),
    findDuplicate: createDuplicateFinder(),
    compareShort: createShortBorrowers(),
    documents,
  };
  for (const name of BOOK_FILE_NAMES) if (hasFile(book, name)) yield* checkFile(book, name, shared);
  for (const finding of documents.unlisted()) yield { finding };
}

type Shared = {
  options: CheckOptions;
  hasFile: (name: BookFileName) => boolean;
  index: ReturnType<typeof createRecordsIndex>;
  findDuplicate: ReturnType<typeof createDuplicateFinder>;
  compareShort: ReturnType<typeof createShortBorrowers>;
  documents: ReturnType<typeof createDocumentCheck>;
};

async function* checkFile(
  book: Book,
  name: BookFileName,
  shared: Shared,
): AsyncGenerator<BookItem> {
  const { index } = shared;
  const keys = createKeyCheck(name, index);
  const references = createReferenceCheck(name, shared);
  const reversals = name === 'history' ? createReversalCheck(keys) : null;
  let lines = 0;
  for await (const line of readRows(book, name)) {
    lines += 1;
    const { loan_number } = line.values;
    const place =
      isHistory(name) && typeof loan_number === 'string' ? { history_of: loan_number } : {};
    for (const finding of line.findings) yield { finding, ...place };
    const issues = checkLine(name, line, { ...shared, keys });
    reversals?.add(line);
    for (const issue of issues) yield { finding: toFinding(line, issue), ...place };
    for (const finding of await references.add(line)) yield { finding };
    const isValid = issues.every(({ code }) => FINDING_CODES[code].severity === 'warning');
    if (line.row !== null && isValid)
      yield {
        row: {
          file: name,
          line: line.line,
          values: line.row,
          source: line.file,
          labelOf: line.labelOf,
        },
      };
  }
  if (name === 'loans' && lines === 0) yield { finding: noLoans(book) };
  for (const finding of await references.end()) yield { finding };
  for (const finding of reversals?.end() ?? []) yield { finding };
  if (keys.hasSuspects()) yield* confirmRepeated(book, name, keys);
}

const noLoans = ({ sources, name }: Book): Finding => ({
  file: sources.find(({ feeds }) => feeds.includes('loans'))?.path ?? name,
  line: 1,
  column: null,
  code: 'no_loans',
  severity: FINDING_CODES.no_loans.severity,
  reason: 'The file has no loans, only a header line. Export it again.',
});

const isHistory = (name: BookFileName) =>
  name === 'history' || name === 'events' || name === 'schedules';

function checkLine<Name extends BookFileName>(
  name: Name,
  line: BookLine<Name>,
  shared: Shared & { keys: RepeatedKeys },
): Issue[] {
  const issues: Issue[] = [];
  const { row, values } = line;
  const repeated = shared.keys.add(line);
  if (repeated !== null) issues.push(repeated);
  else if (isReferred(name)) {
    const [key] = BOOK_FILES[name].key;
    const id = key === undefined ? undefined : values[key];
    if (typeof id === 'string') shared.index.add(name, id, toKnown(name, values, line.line));
  }
  if (row === null) return issues;
  const { today } = shared.options;
  issues.push(...checkRow(name, row, { today, hasFile: shared.hasFile }));
  issues.push(...checkAgainstOthers(name, row, shared.index));
  if (repeated === null) issues.push(...addOthers(name, row, line.line, shared.index));
  if (name === 'records')
    issues.push(...checkOwnRecord(row as BookRow<'records'>, shared.index, today));
  issues.push(...checkPeople(name, row, line.line, shared));
  if (name === 'documents') issues.push(...shared.documents.find(row as BookRow<'documents'>));
  return issues;
}

function checkPeople(
  name: BookFileName,
  row: BookRow<BookFileName>,
  line: number,
  { findDuplicate, compareShort, index, hasFile: has }: Shared,
): Issue[] {
  if (name === 'borrowers') {
    const { borrower_external_id, first_name, last_name, ssn, date_of_birth } =
      row as BookRow<'borrowers'>;
    const person = { borrower_external_id, first_name, last_name, ssn, date_of_birth };
    return findDuplicate(person, line, { ssn: 'ssn', name: 'last_name' });
  }
  if (name !== 'loans' || has('borrowers')) return [];
  const { person, issues } = compareShort(row as BookRow<'loans'>, line);
  if (person === null) return issues;
  index.add('borrowers', person.borrower_external_id, { line });
  return findDuplicate(person, line, { ssn: 'borrower_ssn', name: 'borrower_last_name' });
}

export const toFinding = (
  { file, line, labelOf }: Pick<BookLine<'loans'>, 'file' | 'line' | 'labelOf'>,
  { column, code, reason }: Issue,
): Finding => ({
  file,
  line,
  column: column === null ? null : labelOf(column),
  code,
  severity: FINDING_CODES[code].severity,
  reason,
});

/** Reads the file again, because different keys may have had the same hash. */
async function* confirmRepeated(
  book: Book,
  name: BookFileName,
  keys: RepeatedKeys,
): AsyncGenerator<BookItem> {
  for await (const line of readRows(book, name)) {
    const issue = keys.confirm(line);
    if (issue !== null) yield { finding: toFinding(line, issue) };
  }
}
