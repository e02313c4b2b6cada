import { z } from 'zod';
import { listRemainingFiles, eraseStorageKey } from '../../../sql/documents/redacted-files.ts';
import { currentTenant } from '../../../sql/tenants.ts';
import { uuid } from '../../../sql/types.ts';
import { removeFile } from '../../documents/remove-file.ts';
import { job } from '../../job.ts';

/** Files per pass. */
const BATCH = 100;

/**
 * Removes the files of a redacted borrower, and each storage key, which contains the filename. An
 * interrupted run can be repeated, because removing a missing file succeeds.
 */
export const removeRedactedFiles = job({
  name: 'remove-redacted-files',
  pool: 'documents',
  payload: z.object({ tenant_id: uuid, borrower_id: uuid }),
  attempts: 20,
  key: ({ borrower_id }) => `remove-redacted-files:${borrower_id}`,

  async run({ tenant_id, borrower_id }, { within, files }) {
    for (let seen = BATCH; seen === BATCH;) {
      const { left, slug } = await within(
        tenant_id,
        async ({ tx }) => ({
          left: await listRemainingFiles(tx, borrower_id, BATCH),
          slug: (await currentTenant(tx)).slug,
        }),
        { readOnly: true },
      );
      for (const file of left) {
        await removeFile(files, slug, file);
        await within(tenant_id, ({ tx }) => eraseStorageKey(tx, file));
      }
      seen = left.length;
    }
  },
});
