import * as exports from '../../../sql/borrowers/exports.ts';
import type { ExternalServices } from '../../external-systems.ts';

/** Exports per transaction. */
const BATCH = 100;

/** Removes the files of expired exports. Their rows stay. */
export async function removeExpiredExports({ within, files }: ExternalServices, tenantId: string) {
  for (let seen = BATCH; seen === BATCH;) {
    seen = await within(tenantId, async ({ tx }) => {
      const over = await exports.lockExpired(tx, BATCH);
      for (const { id, storage_key } of over) {
        await files.remove(storage_key);
        await exports.markExpired(tx, id);
      }
      return over.length;
    });
  }
}
