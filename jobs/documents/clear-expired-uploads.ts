import { documents } from '../../sql/documents/documents.ts';
import * as uploads from '../../sql/documents/uploads.ts';
import { find } from '../../sql/table.ts';
import { currentTenant } from '../../sql/tenants.ts';
import { auditChange } from '../audit.ts';
import { uploadKey } from '../files/keys.ts';
import type { ExternalServices } from '../external-systems.ts';
import type { Work } from '../work.ts';

/** Documents that are looked at in one transaction. */
const BATCH = 100;

/**
 * Clears what announced documents have left behind a day after their link: files that nobody
 * confirmed, halves of files whose sender's process died, and what a confirmation that was cut short
 * had moved already or not yet removed. What was confirmed stays.
 */
export async function clearExpiredUploads({ within, files }: ExternalServices, tenantId: string) {
  for (let seen = BATCH; seen === BATCH;) {
    seen = await within(tenantId, async (work) => {
      const { tx } = work;
      const { slug } = await currentTenant(tx);
      const overdue = await uploads.findExpiredUploads(tx, BATCH);
      for (const { id, status, storage_key } of overdue) {
        await files.clear(uploadKey(slug, id));
        if (status === 'pending') await files.remove(storage_key);
        if (status === 'pending') await expire(work, id);
        else await uploads.clearUploadLink(tx, id);
      }
      return overdue.length;
    });
  }
}

async function expire(work: Work, id: string) {
  const before = await find(work.tx, documents, id);
  await auditChange(work, documents, 'expire', before, async () => {
    await uploads.clearUploadLink(work.tx, id);
    return id;
  });
}
