import * as stored from '../../../sql/books/imports.ts';
import { update } from '../../../sql/write.ts';
import type { Files } from '../../files/files.ts';
import type { Within } from '../../work.ts';

/** Removes the stored file of an import that has ended. Safe to repeat. */
export async function removeFile(within: Within, files: Files, tenantId: string, id: string) {
  const key = await within(tenantId, ({ tx }) => stored.findRemovableFile(tx, id));
  if (key === null) return;
  await files.clear(key);
  const cleared = { storage_key: null, file_key_sealed: null };
  await within(tenantId, ({ tx }) => update(tx, 'imports', id, cleared));
}
