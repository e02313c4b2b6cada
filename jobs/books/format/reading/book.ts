import type { ByteChunks } from '../../../files/read-csv.ts';
import type { TreeFile } from '../../../files/file-tree.ts';
import type { BookFileName, BookRow } from '../book-files.ts';
import type { Finding } from '../findings.ts';
import type { Mapping } from '../mapping/mapping-schema.ts';

/** A line of a book file: the row if it could be read, and its mistakes. */
export type BookLine<Name extends BookFileName> = {
  /** The name of the file that was sent. */
  file: string;
  line: number;
  row: BookRow<Name> | null;
  /** The values that could be read, also of a line with mistakes. */
  values: Readonly<Record<string, unknown>>;
  findings: readonly Finding[];
  /** The name in the file of a column of the book. */
  labelOf: (column: string) => string;
};

/** A file that was sent, and the book files that it feeds. */
export type SourceFile = {
  path: string;
  size: number;
  feeds: readonly BookFileName[];
  open: () => ByteChunks;
};

/** A book before it is read. Every file can be read any number of times. */
export type Book = {
  name: string;
  mapping: Mapping | null;
  sources: readonly SourceFile[];
  /** The files below `documents/`, by the path that documents.csv names. */
  documents: ReadonlyMap<string, TreeFile>;
  /** The mistakes of the set of files. */
  findings: readonly Finding[];
};

export const hasFile = ({ sources }: Pick<Book, 'sources'>, name: BookFileName): boolean =>
  sources.some(({ feeds }) => feeds.includes(name));

/** The bytes of all files that feed the loans, to show progress. */
export const sizeOf = ({ sources }: Pick<Book, 'sources'>): number =>
  sources.reduce((sum, { size }) => sum + size, 0);
