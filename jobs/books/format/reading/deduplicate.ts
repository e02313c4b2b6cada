import { createHash } from 'node:crypto';
import { BOOK_FILES, type BookFileName } from '../book-files.ts';
import { hashOf } from '../checks/key-set.ts';
import { createKeyTable } from '../checks/key-table.ts';
import type { BookLine } from './book.ts';

/**
 * For a file whose rows come from the lines of another one, such as the borrowers of a tape of loans: passes on the
 * first of equal records, and reports a record with the same key and other contents.
 */
export function createDeduplication<Name extends BookFileName>(name: Name) {
  const { key } = BOOK_FILES[name];
  const seen = createKeyTable('digest', 'line');
  return (line: BookLine<Name>): BookLine<Name> | null => {
    const row = line.row as Readonly<Record<string, unknown>>;
    const text = createHash('sha256').update(JSON.stringify(row)).digest('base64');
    const digest = hashOf(text);
    const id = key.length === 0 ? text : JSON.stringify(key.map((column) => row[column]));
    const known = seen.find(id);
    if (known === undefined) {
      seen.add(id, { digest, line: line.line });
      return line;
    }
    if (known.digest === digest) return null;
    return {
      ...line,
      row: null,
      values: {},
      findings: [
        {
          file: line.file,
          line: line.line,
          column: line.labelOf(key[0] ?? ''),
          code: name === 'borrowers' ? 'borrower_differs' : 'duplicate_key',
          severity: 'error',
          reason: `Is described differently on line ${known.line}. Correct one of the lines.`,
        },
      ],
    };
  };
}
