import { z } from 'zod';
import * as removal from '../../sql/documents/removal.ts';
import { currentTenant } from '../../sql/tenants.ts';
import { uuid } from '../../sql/types.ts';
import { enqueue, job } from '../job.ts';
import type { ExternalServices } from '../external-systems.ts';
import { settingsOf, type Settings } from '../users/settings/settings.ts';
import type { Work } from '../work.ts';
import { removeFile } from './remove-file.ts';

/** Documents per job. */
const DOCUMENTS_PER_JOB = 500;
/** Files removed before the removal is recorded. */
const BATCH = 100;
/** Sorts before every document id. */
const NIL_DOCUMENT_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Removes files whose retention has ended; the next job continues with the next documents. A document is
 * marked as removed before its file is deleted, so that no link to a disappearing file is issued. After an
 * interruption, the next run deletes the remaining files, except under a new legal hold.
 */
export const removeOldFiles = job({
  name: 'remove-old-files',
  pool: 'documents',
  payload: z.object({ tenant_id: uuid, after: uuid }),
  attempts: 20,
  key: ({ tenant_id, after }) => `remove-old-files:${tenant_id}:${after}`,

  async run({ tenant_id, after }, outside) {
    await outside.within(tenant_id, async (work) => {
      const years = (await settingsOf(work.tx)).retention.document_years;
      const look = { years, today: work.today, after, limit: DOCUMENTS_PER_JOB };
      const last = await removal.markExpiredDocuments(work.tx, look);
      if (last !== null) await enqueue(work.tx, removeOldFiles, { tenant_id, after: last });
    });
    await removeDecided(outside, tenant_id);
  },
});

async function removeDecided({ within, files }: ExternalServices, tenantId: string) {
  for (let seen = BATCH; seen === BATCH;) {
    const { left, slug } = await within(tenantId, async ({ tx }) => {
      await removal.restoreHeld(tx);
      return {
        left: await removal.listFilesToDelete(tx, BATCH),
        slug: (await currentTenant(tx)).slug,
      };
    });
    for (const file of left) await removeFile(files, slug, file);
    const ids = left.map(({ id }) => id);
    await within(tenantId, ({ tx }) => removal.markFilesDeleted(tx, ids));
    seen = left.length;
  }
}

/** Enqueued with each business date if the tenant limits retention or files are still to be deleted. */
export const enqueueRemoval = ({ tx, tenant_id }: Work) =>
  enqueue(tx, removeOldFiles, { tenant_id, after: NIL_DOCUMENT_ID });

/** Whether the tenant limits the retention of any kind of document. */
export const hasRetentionLimit = ({ retention }: Settings) =>
  Object.values(retention.document_years).some((set) => typeof set === 'number');
