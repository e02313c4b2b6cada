import type { BookRow } from '../book-files.ts';
import { FINDING_CODES, type Finding } from '../findings.ts';
import type { Book } from '../reading/book.ts';
import type { Issue } from './issue.ts';

/** Compares the list of documents with the files in the folder `documents`. */
export function createDocumentCheck({ documents }: Pick<Book, 'documents'>) {
  const listed = new Set<string>();
  return {
    find({ file }: BookRow<'documents'>): Issue[] {
      listed.add(file);
      if (documents.has(file)) return [];
      const reason = 'The folder documents has no such file. Add it, or remove the line.';
      return [{ column: 'file', code: 'missing_document', reason }];
    },
    unlisted: (): Finding[] =>
      [...documents.keys()]
        .filter((path) => !listed.has(path))
        .map((path) => ({
          file: `documents/${path}`,
          line: 1,
          column: null,
          code: 'unlisted_document',
          severity: FINDING_CODES.unlisted_document.severity,
          reason: 'Is not in documents.csv, so it is not imported. Add a line if you need it.',
        })),
  };
}
