import * as batchFiles from '../../sql/mailing/files.ts';
import type { ExternalServices } from '../external-systems.ts';
import { batchFileKey } from './batch-file-key.ts';

/** Days that the files of a batch are kept; each letter is kept for good as a document. */
const KEPT_DAYS = 90;
/** Batches that are looked at in one transaction. */
const MANY = 20;

/** Removes the files of old batches, and of those that were cancelled. */
export async function removeOldBatchFiles({ within, files }: ExternalServices, tenantId: string) {
  for (let seen = MANY; seen === MANY;) {
    seen = await within(tenantId, async ({ tx }) => {
      const over = await batchFiles.findExpired(tx, KEPT_DAYS, MANY);
      for (const { id, filenames } of over) {
        // Also one that was made while its batch was cancelled, of which no row knows that it is there.
        for (const filename of filenames) await files.remove(await batchFileKey(tx, id, filename));
        await batchFiles.markRemoved(tx, id);
      }
      return over.length;
    });
  }
}
