import { z } from 'zod';
import * as removal from '../../sql/documents/removal.ts';
import { currentTenant } from '../../sql/tenants.ts';
import { uuid } from '../../sql/types.ts';
import { enqueue, job } from '../job.ts';
import type { ExternalServices } from '../external-systems.ts';
import { settingsOf, type Settings } from '../users/settings.ts';
import type { Work } from '../work.ts';
import { removeFile } from './remove-file.ts';

/** Documents that one job looks at. */
const LOOK = 500;
/** Files that are removed before it is written down that they are gone. */
const BATCH = 100;
/** Before the id of any document. */
const FIRST = '00000000-0000-0000-0000-000000000000';

/**
 * Removes the files of documents whose years are over, some hundreds at a time; the next job goes on after them.
 * A document says that it is removed before its file goes, so that nobody is given a link to what is vanishing.
 * Cut short, the files that are left go with the next run, unless a legal hold has come meanwhile.
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
      const look = { years, today: work.today, after, limit: LOOK };
      const last = await removal.markExpired(work.tx, look);
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

/** With each business date: where the tenant has set years, or files of before are still to go. */
export const enqueueRemoval = ({ tx, tenant_id }: Work) =>
  enqueue(tx, removeOldFiles, { tenant_id, after: FIRST });

/** Whether the tenant keeps any kind of document for so many years only. */
export const hasRetentionLimit = ({ retention }: Settings) =>
  Object.values(retention.document_years).some((set) => typeof set === 'number');
