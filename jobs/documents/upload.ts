import { z } from 'zod';
import { documents } from '../../sql/documents/documents.ts';
import * as uploads from '../../sql/documents/uploads.ts';
import { newId } from '../../sql/new-id.ts';
import { find } from '../../sql/table.ts';
import { currentTenant } from '../../sql/tenants.ts';
import { flag, requiredFreeText, uuid } from '../../sql/types.ts';
import { insert } from '../../sql/write.ts';
import { auditChange } from '../audit.ts';
import { Conflict, Invalid, NotFound } from '../errors.ts';
import type { Files, CapturedFile } from '../files/files.ts';
import { safeFilename, storageKey, uploadKey } from '../files/keys.ts';
import { enqueue } from '../job.ts';
import { settingsOf } from '../users/settings/settings.ts';
import type { Within, Work } from '../work.ts';
import { CONTENT_TYPE_NAMES, matchesContentType } from './content-type.ts';
import { scanDocument } from './scan.job.ts';
import { CONTENT_TYPES, documentType, type ContentType } from './types.ts';
import { createUploadTask } from './upload-task.ts';

export const UploadRequest = z.object({
  loan_id: uuid.describe('The id of the loan to which the document belongs.'),
  document_type: documentType,
  filename: requiredFreeText.describe('The name of the file, as downloads show it.'),
  content_type: z
    .enum(CONTENT_TYPES)
    .describe('The content type. The file is refused if its bytes are of another type.'),
  is_visible_to_borrower: flag.default(false).describe('Whether the portal shows it.'),
});
/** `borrower_id` is set if the document does not belong to the loan's borrower, or to no loan. */
type UploadRequest = Omit<z.output<typeof UploadRequest>, 'loan_id'> &
  ({ loan_id: string; borrower_id?: string | undefined } | { loan_id: null; borrower_id: string });

export const UploadConfirmation = z.object({
  file_size: z.int().min(0).describe('The size of the uploaded file in bytes.'),
  sha256_hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/i, 'Must be 64 hexadecimal digits.')
    .toLowerCase()
    .describe('The SHA-256 hash of the uploaded file, as 64 hexadecimal digits.'),
});
type UploadConfirmation = z.output<typeof UploadConfirmation>;
export type AnnouncedUpload = UploadRequest & { metadata?: Record<string, unknown> };
type Source = 'upload_link' | 'portal' | 'direct';

/** Announces a document and returns a temporary link to upload its file. */
export async function createUploadLink(
  work: Work,
  input: UploadRequest,
  source: Source = 'upload_link',
) {
  const { id, key, expires_at } = await announceUpload(work, input, source);
  const { content_type } = input;
  const link = { key, method: 'PUT', expires_at, content_type } as const;
  const upload_url = await work.installation.files.presign(link);
  return { id, upload_url, expires_at: expires_at.toISOString() };
}

/** Creates a pending document and the key under which its file waits for confirmation. */
export async function announceUpload(work: Work, input: AnnouncedUpload, source: Source) {
  const { upload_ttl_s } = (await settingsOf(work.tx)).documents;
  const expires_at = new Date(Date.now() + upload_ttl_s * 1000);
  const { id } = await auditChange(work, documents, 'create', null, async () => {
    const written = await insertAnnouncedUpload(work, input, source, expires_at);
    return written.id;
  });
  const { slug } = await currentTenant(work.tx);
  return { id, key: uploadKey(slug, id), expires_at };
}

/** Inserts the row of a pending document. */
export async function insertAnnouncedUpload(
  work: Work,
  input: AnnouncedUpload,
  source: Source,
  expires_at: Date,
) {
  const owner =
    input.loan_id === null
      ? input.borrower_id
      : await uploads.findBorrowerOfLoan(work.tx, input.loan_id);
  if (owner === null) throw new Invalid({ loan_id: 'Does not exist.' });
  const { slug: tenant_slug } = await currentTenant(work.tx);
  const id = newId();
  const place = { ...input, tenant_slug, loan_id: input.loan_id ?? owner };
  const plain = storageKey(place);
  await uploads.lockKey(work.tx, plain);
  const isTaken = await uploads.isKeyTaken(work.tx, plain);
  const filename = `${id.slice(-8)}-${safeFilename(input.filename)}`;
  const key = isTaken ? storageKey({ ...place, filename }) : plain;
  await insert(work.tx, 'documents', {
    ...input,
    borrower_id: input.borrower_id ?? owner,
    id,
    source,
    storage_key: key,
    expires_at: expires_at.toISOString(),
    uploaded_by: work.actor.id,
  });
  return { id, key };
}

/** Attempts if new uploads keep replacing the file during a confirmation. */
const CAPTURE_ATTEMPTS_MAX = 5;

/**
 * Accepts the file uploaded to the link if its size, hash and type match. On a mismatch the document stays
 * pending, so that the correct file can still be uploaded. A repeat changes nothing.
 *
 * Uploads and confirmations of a document are serialized by its row lock. The bytes are seized first and
 * confirmed under the document's own key, which no upload link contains. An interruption before the commit
 * has no effect; after the commit nothing is missing.
 */
export async function confirmUpload(
  within: Within,
  files: Files,
  tenantId: string,
  id: string,
  described: UploadConfirmation,
) {
  const { slug } = await within(tenantId, ({ tx }) => currentTenant(tx), { readOnly: true });
  const key = uploadKey(slug, id);
  const read = () => within(tenantId, ({ tx }) => uploads.findUpload(tx, id), { readOnly: true });
  for (let look = 1; ; look += 1) {
    const document = await read();
    if (!needsConfirmation(document, described)) break;
    // Outside any transaction, because hashing a large file takes time.
    await using seized = await files.seize(key);
    // A concurrent confirmation of the same file has already cleared the folder.
    if (!seized && !needsConfirmation(await read(), described)) break;
    assertSame(seized, described);
    assertType(document, seized);
    await within(tenantId, ({ tx }) => assertWithinSizeLimit(tx, seized), { readOnly: true });
    const settle = () =>
      within(tenantId, async (work) => {
        const now = await uploads.lockUpload(work.tx, id);
        if (!needsConfirmation(now, described)) return true;
        if (!(await seized.settle(now.storage_key))) return false;
        const before = await find(work.tx, documents, id);
        await auditChange(work, documents, 'confirm-upload', before, async () => {
          await confirmFile(work, id, described);
          if (now.source === 'portal') await createUploadTask(work, now);
          return id;
        });
        return true;
      });
    if (await settle()) break;
    if (look === CAPTURE_ATTEMPTS_MAX)
      throw new Conflict(
        'Files are still being delivered to this server. Try again when they are done.',
        'hash_mismatch',
      );
  }
  // The clean-up job removes what remains after a failure.
  await files.clear(key).catch(() => undefined);
}

/** Makes the file available immediately, or after the virus scan if uploads are scanned. */
async function confirmFile(work: Work, id: string, described: UploadConfirmation) {
  const { scans_uploads } = work.installation;
  const status = scans_uploads ? 'held' : 'uploaded';
  await uploads.markConfirmed(work.tx, id, { ...described, status, by: work.actor.id });
  if (scans_uploads)
    await enqueue(work.tx, scanDocument, { tenant_id: work.tenant_id, document_id: id });
}

/**
 * Whether the document still has to be confirmed. False for a repeated confirmation; throws for any other
 * state.
 */
function needsConfirmation(
  document: uploads.Upload | null,
  described: UploadConfirmation,
): document is uploads.Upload {
  if (!document || document.is_archived) throw new NotFound();
  const { status, sha256_hash, file_size } = document;
  const isSame = sha256_hash === described.sha256_hash && file_size === String(described.file_size);
  if (status !== 'pending' && isSame) return false;
  if (status === 'pending' && document.source !== 'generated') return true;
  throw new Conflict(
    `You cannot replace the file of a document that is ${status}.`,
    'invalid_transition',
    {
      current_status: status,
    },
  );
}

function assertSame(
  seized: CapturedFile | null,
  described: UploadConfirmation,
): asserts seized is CapturedFile {
  if (!seized) throw uploadMissing();
  const { size, sha256_hash } = seized.described;
  if (size === described.file_size && sha256_hash === described.sha256_hash) return;
  throw hashMismatch(size);
}

/** Upload links of an object store cannot limit the size. */
async function assertWithinSizeLimit(tx: Work['tx'], { described: { size } }: CapturedFile) {
  const { max_bytes } = (await settingsOf(tx)).documents;
  if (size <= max_bytes) return;
  throw fileTooLarge(max_bytes);
}

export const fileTooLarge = (max_bytes: number) =>
  new Conflict(`The file is larger than ${max_bytes} bytes.`, 'too_large', { max_bytes });

/** Checks the file's bytes, regardless of the declared type. */
function assertType({ content_type }: uploads.Upload, { head, tail }: CapturedFile) {
  if (matchesContentType(content_type as ContentType, head, tail)) return;
  throw contentMismatch(content_type);
}

export const uploadMissing = () =>
  new Conflict('No file has been uploaded to the link yet. Upload it first.', 'upload_missing');

export const hashMismatch = (file_size: number) =>
  new Conflict(
    'The file does not match the size or hash you gave. Upload it again.',
    'hash_mismatch',
    {
      file_size,
    },
  );

export const contentMismatch = (content_type: string) =>
  new Conflict(
    `The uploaded file is not ${CONTENT_TYPE_NAMES[content_type as ContentType]} (${content_type}). ` +
      'Upload the correct file to the link, or announce a document with the actual type.',
    'content_mismatch',
    { content_type },
  );
