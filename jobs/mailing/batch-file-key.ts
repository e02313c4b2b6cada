import type { Transaction } from '../../sql/database/db.ts';
import { currentTenant } from '../../sql/tenants.ts';
import { storageKey } from '../files/keys.ts';

/** The storage key of a batch's file. */
export async function batchFileKey(tx: Transaction, batchId: string, filename: string) {
  const { slug: tenant_slug } = await currentTenant(tx);
  return storageKey({ tenant_slug, loan_id: 'mail-batches', document_type: batchId, filename });
}
