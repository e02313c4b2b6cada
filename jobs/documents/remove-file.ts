import { letterKey } from '../communications/send.job.ts';
import type { Files } from '../files/files.ts';
import { uploadKey } from '../files/keys.ts';

type StoredDocument = { id: string; storage_key: string; letter_ids: readonly string[] };

/** Removes a document's file, its upload and its copies in the letter outbox. Safe to repeat. */
export async function removeFile(files: Files, tenantSlug: string, file: StoredDocument) {
  await files.remove(file.storage_key);
  await files.clear(uploadKey(tenantSlug, file.id));
  for (const id of file.letter_ids) await files.remove(letterKey(tenantSlug, id));
}
