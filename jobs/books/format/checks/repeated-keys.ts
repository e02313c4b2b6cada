import { BOOK_FILES, type BookFileName } from '../book-files.ts';
import type { BookLine } from '../reading/book.ts';
import type { Issue } from './issue.ts';
import { createKeySet } from './key-set.ts';
import { isReferred, type RecordsIndex } from './known-records.ts';

type Line = Pick<BookLine<'loans'>, 'line' | 'values' | 'file'>;

export type RepeatedKeys = {
  /** Adds the key of a line. Returns an issue if an earlier line is known to have it. */
  add: (line: Line) => Issue | null;
  /** Whether some keys seem to appear twice. They must be confirmed in a second reading. */
  hasSuspects: () => boolean;
  confirm: (line: Line) => Issue | null;
  /** Whether a line has this key, of a file that no other file refers to. */
  has: (...parts: string[]) => boolean;
};

const SEPARATOR = '\u001f';

/** More repeated keys than a person corrects one by one. */
const SUSPECTS_MAX = 100_000;

/** Finds records with the same key. Files with millions of rows are compared by hashes first. */
export function createKeyCheck(name: BookFileName, index: RecordsIndex): RepeatedKeys {
  const { key } = BOOK_FILES[name];
  const seen = createKeySet();
  const suspects = new Map<string, number | null>();
  const keyOf = ({ values }: Line): string | null => {
    const parts = key.map((column) => values[column]);
    const isWhole = parts.length > 0 && parts.every((part) => part !== undefined);
    return isWhole ? parts.join(SEPARATOR) : null;
  };
  const repeated = (line: number): Issue => ({
    column: key[0] ?? null,
    code: 'duplicate_key',
    reason: `Is already on line ${line}. Remove one of the lines, or correct the number.`,
  });
  return {
    add(line) {
      const id = keyOf(line);
      if (id === null) return null;
      if (isReferred(name)) {
        const known = index.find(name, id);
        return known === undefined ? null : repeated(known.line);
      }
      if (!seen.add(id) && suspects.size < SUSPECTS_MAX) suspects.set(id, null);
      return null;
    },
    has: (...parts) => seen.has(parts.join(SEPARATOR)),
    hasSuspects: () => suspects.size > 0,
    confirm(line) {
      const id = keyOf(line);
      const first = id === null ? undefined : suspects.get(id);
      if (id === null || first === undefined) return null;
      if (first !== null) return repeated(first);
      suspects.set(id, line.line);
      return null;
    },
  };
}
