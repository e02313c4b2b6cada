import { randomUUIDv7 } from 'node:crypto';
import { z } from 'zod';
import * as documents from '../../sql/documents/documents.ts';
import { current } from '../../sql/tenants.ts';
import { freeWords, uuid } from '../../sql/types.ts';
import { insert } from '../../sql/write.ts';
import { Conflict, Invalid, NotFound } from '../errors.ts';
import { settingsOf } from '../users/settings.ts';
import type { Within, Work } from '../work.ts';
import type { StoredFile } from './files.ts';
import { safeFilename, storageKey } from './keys.ts';
import { filesInUse } from './store.ts';
import { CONTENT_TYPES, DOCUMENT_TYPES } from './types.ts';

export const UploadRequest = z.object({
  loan_id: uuid,
  document_type: z.enum(DOCUMENT_TYPES),
  filename: freeWords,
  content_type: z.enum(CONTENT_TYPES),
});
type UploadRequest = z.output<typeof UploadRequest>;

export const Confirmation = z.object({
  file_size: z.int().min(0),
  sha256_hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/i, 'Must be 64 hexadecimal digits.')
    .toLowerCase(),
});
type Confirmation = z.output<typeof Confirmation>;

/** Announces a document and gives a link, good for minutes, to which its file may be put. */
export async function createUploadLink(work: Work, input: UploadRequest) {
  const { upload_ttl_s } = (await settingsOf(work.tx)).documents;
  const expires_at = new Date(Date.now() + upload_ttl_s * 1000);
  const { id, key } = await announce(work, input, 'upload_link', expires_at);
  const { content_type } = input;
  const link = { key, method: 'PUT', expires_at, content_type } as const;
  const upload_url = await filesInUse().files.presign(link);
  return { id, upload_url, expires_at: expires_at.toISOString() };
}

/** Writes the row of a document whose file is still to come. */
export async function announce(
  work: Work,
  input: UploadRequest,
  source: 'upload_link' | 'direct',
  expires_at: Date,
) {
  const borrower_id = await documents.borrowerOfLoan(work.tx, input.loan_id);
  if (borrower_id === null) throw new Invalid({ loan_id: 'Does not exist.' });
  const { slug: tenant_slug } = await current(work.tx);
  const id = randomUUIDv7();
  const plain = storageKey({ tenant_slug, ...input });
  await documents.lockKey(work.tx, plain);
  const isTaken = await documents.isKeyTaken(work.tx, plain);
  const filename = `${id.slice(-8)}-${safeFilename(input.filename)}`;
  const key = isTaken ? storageKey({ tenant_slug, ...input, filename }) : plain;
  await insert(work.tx, 'documents', {
    ...input,
    id,
    borrower_id,
    source,
    storage_key: key,
    expires_at: expires_at.toISOString(),
    uploaded_by: work.actor.id,
  });
  return { id, key };
}

/**
 * Accepts the file that was put under the link, if it is the one that the sender says it is. What
 * differs stays pending, so that the right file can still be put; a repeat changes nothing.
 */
export async function confirmUpload(
  within: Within,
  tenantId: string,
  id: string,
  said: Confirmation,
) {
  const pending = await within(tenantId, (work) => toConfirm(work, id, said), { readOnly: true });
  if (pending === null) return;
  // Read between two transactions: hashing a large file takes a while.
  const found = await filesInUse().files.describe(pending.storage_key);
  assertSame(found, said);
  await within(tenantId, async (work) => {
    await documents.confirm(work.tx, id, { ...said, by: work.actor.id });
  });
}

async function toConfirm({ tx }: Work, id: string, said: Confirmation) {
  const document = await documents.uploading(tx, id);
  if (!document || document.is_archived) throw new NotFound();
  const { status, sha256_hash, file_size } = document;
  const isSame = sha256_hash === said.sha256_hash && file_size === String(said.file_size);
  if (status !== 'pending' && isSame) return null;
  if (status === 'pending' && document.source !== 'generated') return document;
  throw new Conflict(`A document that is ${status} takes no other file.`, 'invalid_transition', {
    current_status: status,
  });
}

function assertSame(found: StoredFile | null, said: Confirmation) {
  if (!found) throw new Conflict('No file has been put under the link yet.', 'upload_missing');
  if (found.size === said.file_size && found.sha256_hash === said.sha256_hash) return;
  throw new Conflict('The file is not the one that you describe.', 'hash_mismatch', {
    file_size: found.size,
  });
}
