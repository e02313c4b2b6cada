import * as stored from '../../../sql/books/imports.ts';
import type { Files } from '../../files/files.ts';
import type { Within } from '../../work.ts';
import type { BookSource } from './book-rows.ts';
import { unsealFile } from './sealed-file.ts';

/** The uploaded file of an import; null if it has none. */
export async function openStoredBook(
  within: Within,
  files: Files,
  tenantId: string,
  id: string,
): Promise<BookSource | null> {
  const { key, keys } = await within(tenantId, async ({ tx, installation }) => ({
    key: (await stored.readImport(tx, id))?.storage_key ?? null,
    keys: installation.keys,
  }));
  if (key === null) return null;
  return {
    async *open() {
      const content = await files.stream(key);
      if (content === null) throw new Error('The file of the import is missing from the store.');
      yield* unsealFile(keys, tenantId, content);
    },
  };
}
