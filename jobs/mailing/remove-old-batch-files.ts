import * as batchFiles from '../../sql/mailing/files.ts';
import type { ExternalServices } from '../external-systems.ts';
import { batchFileKey } from './batch-file-key.ts';

/** Days that the files of a batch are kept. Each letter remains as a document. */
const RETENTION_DAYS = 90;
/** Batches per transaction. */
const MANY = 20;

/** Removes the files of old and of canceled batches. */
export async function removeOldBatchFiles({ within, files }: ExternalServices, tenantId: string) {
  for (let seen = MANY; seen === MANY;) {
    seen = await within(tenantId, async ({ tx }) => {
      const over = await batchFiles.findExpired(tx, RETENTION_DAYS, MANY);
      for (const { id, filenames } of over) {
        // Includes a file made while its batch was being canceled, which has no storage key in its row.
        for (const filename of filenames) await files.remove(await batchFileKey(tx, id, filename));
        await batchFiles.markRemoved(tx, id);
      }
      return over.length;
    });
  }
}
