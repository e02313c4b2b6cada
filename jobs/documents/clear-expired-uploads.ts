import { documents } from '../../sql/documents/documents.ts';
import * as uploads from '../../sql/documents/uploads.ts';
import { find } from '../../sql/table.ts';
import { currentTenant } from '../../sql/tenants.ts';
import { auditChange } from '../audit.ts';
import { uploadKey } from '../files/keys.ts';
import type { ExternalServices } from '../external-systems.ts';
import type { Work } from '../work.ts';

/** Documents per transaction. */
const BATCH = 100;

/**
 * Cleans up a day after an upload link has expired: unconfirmed files, partial files, and leftovers of an
 * interrupted confirmation. Confirmed files stay.
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
