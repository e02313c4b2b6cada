import { openBook } from '../format/reading/open-book.ts';
import { hasFile, type Book } from '../format/reading/book.ts';
import type { Mapping } from '../format/mapping/mapping-schema.ts';
import type { FileTree } from '../../files/file-tree.ts';

/**
 * Opens a file for a reconciliation. Unlike an import, it needs no loans.csv: a single CSV file is figures.csv, unless it
 * is named loans.csv or the mapping says only which columns of loans it has.
 */
export function openFiguresBook(tree: FileTree, mapping: Mapping | null): Book {
  const book = openBook(tree, mapping);
  const findings = book.findings.filter(({ code }) => code !== 'missing_file');
  const [only] = tree.files;
  if (tree.kind !== 'file' || only === undefined || !isFigures(only.path, mapping))
    return { ...book, findings: hasFile(book, 'figures') ? findings : book.findings };
  const { path, size } = only;
  const source = { path, size, feeds: ['figures'] as const, open: () => only.stream() };
  return { ...book, findings, sources: [source] };
}

/** The mapping of an import may describe the loans and the figures of the same system. */
const isFigures = (path: string, mapping: Mapping | null): boolean =>
  mapping === null ? path !== 'loans.csv' : mapping.figures !== undefined;
