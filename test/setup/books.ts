import type { FileTree } from '../../jobs/files/file-tree.ts';
import type { BookFileName } from '../../jobs/books/format/book-files.ts';
import { readMapping } from '../../jobs/books/format/mapping/read-mapping.ts';
import type { Book, BookLine } from '../../jobs/books/format/reading/book.ts';
import { openBook } from '../../jobs/books/format/reading/open-book.ts';
import { readRows } from '../../jobs/books/format/reading/read-rows.ts';

type Files = Readonly<Record<string, string | Uint8Array>>;

/** A folder in memory. With the kind `file`, the only file. */
export const treeOf = (files: Files, kind: FileTree['kind'] = 'folder'): FileTree => ({
  kind,
  name: 'book',
  files: Object.entries(files).map(([path, content]) => {
    const bytes = Buffer.from(content);
    return {
      path,
      size: bytes.length,
      stream: async function* () {
        for (let at = 0; at < bytes.length; at += 1000)
          yield await Promise.resolve(bytes.subarray(at, at + 1000));
      },
    };
  }),
  [Symbol.asyncDispose]: () => Promise.resolve(),
});

export const bookOf = (files: Files, mapping: string | null = null): Book =>
  openBook(
    treeOf(files, Object.keys(files).length === 1 ? 'file' : 'folder'),
    mapping === null ? null : readMapping(mapping),
  );

/** All lines of a book file. */
export const linesOf = <Name extends BookFileName>(
  book: Book,
  name: Name,
): Promise<BookLine<Name>[]> => Array.fromAsync(readRows(book, name));

/** The findings as short texts: line, column and code. */
export const placesOf = (lines: readonly Pick<BookLine<'loans'>, 'findings'>[]) =>
  lines.flatMap(({ findings }) =>
    findings.map(({ line, column, code }) => `${line} ${column ?? '-'} ${code}`),
  );
