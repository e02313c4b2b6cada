import type { FileTree, TreeFile } from '../../../files/file-tree.ts';
import { findNearestWord, hintAt } from '../../../nearest-word.ts';
import { BOOK_FILE_NAMES, type BookFileName } from '../book-files.ts';
import type { Finding, FindingCode } from '../findings.ts';
import type { Mapping } from '../mapping/mapping-schema.ts';
import type { Book, SourceFile } from './book.ts';

const TEXT_FILE = /\.(csv|txt|tsv|psv|dat)$/i;
const WORKBOOK = /\.(xlsx?|xlsm|ods|numbers)$/i;
const FOLDER_OF_DOCUMENTS = 'documents/';
/** Says what our own exports contain and what not, for people. */
export const ABOUT_FILE = 'README.md';
/** An Excel workbook is a zip with this file. */
const WORKBOOK_PARTS = '[Content_Types].xml';

/**
 * Finds the book files in a folder, a zip or a single CSV file. Without a mapping, a single file is `loans.csv`, and the
 * others have the names of the format.
 */
export function openBook(tree: FileTree, mapping: Mapping | null = null): Book {
  const findings: Finding[] = [];
  const refuse = (code: FindingCode, file: string, reason: string) =>
    findings.push({ file, line: 1, column: null, code, severity: 'error', reason });
  const isWorkbook = tree.files.some(({ path }) => path === WORKBOOK_PARTS);
  if (isWorkbook)
    refuse('unreadable_file', tree.name, 'Is an Excel workbook. Save each sheet as CSV UTF-8.');
  const isDocument = ({ path }: TreeFile) =>
    tree.kind !== 'file' && path.startsWith(FOLDER_OF_DOCUMENTS);
  const sources = tree.files
    .filter((file) => !isDocument(file) && file.path !== ABOUT_FILE)
    .flatMap((file): SourceFile[] => {
      const feeds = filesFedBy(file.path, tree, mapping);
      if (feeds.length > 0)
        return [{ path: file.path, size: file.size, feeds, open: () => file.stream() }];
      if (!isWorkbook) explainUnknown(file.path, mapping, refuse);
      return [];
    });
  if (findings.length === 0 && !sources.some(({ feeds }) => feeds.includes('loans')))
    refuse('missing_file', tree.name, missingLoans(mapping));
  return {
    name: tree.name,
    mapping,
    sources,
    documents: new Map(
      tree.files
        .filter(isDocument)
        .map((file) => [file.path.slice(FOLDER_OF_DOCUMENTS.length), file]),
    ),
    findings,
  };
}

function missingLoans(mapping: Mapping | null): string {
  const [pattern] = mapping?.files.loans ?? [];
  return pattern === undefined
    ? 'Has no file loans.csv. Add it, or name your file of loans under `files` in a mapping.'
    : `Has no file that is named like ${pattern}, which the mapping states for the loans. Correct the name there.`;
}

function filesFedBy(path: string, tree: FileTree, mapping: Mapping | null): BookFileName[] {
  if (mapping && Object.keys(mapping.files).length > 0) {
    const fed = BOOK_FILE_NAMES.filter((name) =>
      mapping.files[name]?.some((pattern) => matchesPattern(path, pattern)),
    );
    if (fed.length > 0) return fed;
  }
  const own = BOOK_FILE_NAMES.filter((name) => path.toLowerCase() === `${name}.csv`);
  if (own.length > 0 || tree.kind !== 'file') return own;
  if (WORKBOOK.test(path)) return [];
  // The only file is the tape of loans. Without names of files, it also feeds the other files of the mapping.
  const mapped = mapping ? BOOK_FILE_NAMES.filter((name) => mapping[name] !== undefined) : [];
  return mapped.length > 0 ? mapped : ['loans'];
}

/** Whether the path, or its last part, is like the pattern, in which `*` stands for any letters. */
export function matchesPattern(path: string, pattern: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return [path, name].some((text) => isLike(text.toLowerCase(), pattern.toLowerCase()));
}

function isLike(text: string, pattern: string): boolean {
  const [beginning = '', ...others] = pattern.split('*');
  const end = others.pop();
  if (end === undefined) return text === beginning;
  if (!text.startsWith(beginning)) return false;
  let at = beginning.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - end.length >= at && text.endsWith(end);
}

function explainUnknown(
  path: string,
  mapping: Mapping | null,
  refuse: (code: FindingCode, file: string, reason: string) => void,
) {
  if (WORKBOOK.test(path))
    return refuse('unreadable_file', path, 'Is a spreadsheet. Save each sheet as CSV UTF-8.');
  if (!TEXT_FILE.test(path))
    return refuse(
      'unknown_file',
      path,
      'Is not a CSV file. Documents belong into the folder documents.',
    );
  const names = BOOK_FILE_NAMES.map((name) => `${name}.csv`);
  const where = mapping ? 'under `files` in the mapping' : 'in the book format';
  const nearest = findNearestWord(path, names);
  return refuse(
    'unknown_file',
    path,
    `No file is named like this ${where}.${nearest === undefined ? '' : hintAt(path, names)}`,
  );
}
