import { existsSync, readFileSync } from 'node:fs';
import type { Book } from '../../jobs/books/format/reading/book.ts';
import { MappingRefused, readMapping } from '../../jobs/books/format/mapping/read-mapping.ts';
import type { Mapping } from '../../jobs/books/format/mapping/mapping-schema.ts';
import { openBook } from '../../jobs/books/format/reading/open-book.ts';
import { openFileTree } from '../../jobs/files/file-tree.ts';
import { readReadyMapping, readyMappings } from '../../templates/mappings.ts';
import { UsageError } from './operation.ts';

/** Opens the book at a path, for a command. Throws `UsageError` if the file or the mapping cannot be used. */
export async function openBookAt(
  file: string,
  mappingFile: string | undefined,
): Promise<AsyncDisposable & { book: Book }> {
  if (!existsSync(file)) throw new UsageError(`There is no file or folder ${file}.`);
  const mapping = mappingFile === undefined ? null : readMappingAt(mappingFile).mapping;
  const tree = await openFileTree(file);
  return {
    book: openBook(tree, mapping),
    [Symbol.asyncDispose]: () => tree[Symbol.asyncDispose](),
  };
}

/** Reads the mapping at a path, or the ready one with this name. */
export function readMappingAt(file: string): { text: string; mapping: Mapping } {
  const ready = existsSync(file) ? null : readReadyMapping(file);
  if (ready === null && !existsSync(file))
    throw new UsageError(
      `There is no mapping ${file}. Ready to use are ${readyMappings().join(', ')}.`,
    );
  try {
    const text = ready ?? readFileSync(file, 'utf8');
    return { text, mapping: readMapping(text) };
  } catch (error) {
    if (error instanceof MappingRefused)
      throw new UsageError(`${file}:\n${error.message}`, { cause: error });
    throw error;
  }
}
