import * as stored from '../../../sql/books/imports.ts';
import type { Files } from '../../files/files.ts';
import { sealStream } from '../../files/sealed-files.ts';
import { enqueue } from '../../job.ts';
import type { Keys } from '../../sealing/secrets.ts';
import type { Within } from '../../work.ts';
import { checkImportJob } from './check-import.job.ts';

type Store = { within: Within; files: Files; keys: Keys; tenantId: string };

/**
 * Stores the sealed file of an uploaded import and enqueues its check. Does nothing if the import was checked or canceled
 * since then, so that no file is left behind.
 */
export async function storeBook(
  { within, files, keys, tenantId }: Store,
  { id, status, storage_key, file_key_sealed }: stored.ImportRow,
  open: () => AsyncIterable<Uint8Array>,
): Promise<void> {
  if (status !== 'uploaded' || storage_key === null || file_key_sealed === null) return;
  await files.put(storage_key, sealStream(keys.unseal(tenantId, file_key_sealed), open), {
    when: (_file, place) =>
      within(tenantId, async ({ tx }) => {
        const row = await stored.lockImport(tx, id);
        if (row?.status !== 'uploaded' || row.storage_key !== storage_key) return;
        await place();
        await enqueue(tx, checkImportJob, { tenant_id: tenantId, import_id: id });
      }),
  });
}
