import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { Context, Middleware, Next } from 'koa';
import type { DatabasePool } from 'slonik';
import { StoreUnavailable } from '../../jobs/files/files.ts';
import { documentIdOfUploadKey, uploadKey } from '../../jobs/files/keys.ts';
import { readLink } from '../../jobs/files/links.ts';
import { unsealFile } from '../../jobs/files/sealed-files.ts';
import type { Installation } from '../../jobs/installation.ts';
import { settingsOf } from '../../jobs/users/settings/settings.ts';
import type { Transaction } from '../../sql/database/db.ts';
import { within } from '../../sql/database/within.ts';
import { isRemovedKey } from '../../sql/documents/documents.ts';
import { REMOVED_MESSAGE } from '../../sql/documents/removal.ts';
import { findFileKey } from '../../sql/documents/sealed-files.ts';
import * as uploads from '../../sql/documents/uploads.ts';
import { HttpRefusal } from '../http/errors.ts';
import { receiveUpload, type Intake } from '../http/receive.ts';

const PATH = /^\/api\/v1\/storage\/(upload|download)\/([\w.-]+)$/;

/**
 * Serves links to files stored on this server rather than in an object store. The link itself is the
 * permission: it needs no session and no CSRF token, names one file, and expires.
 */
export function storageMiddleware(parts: Parts): Middleware {
  const { installation } = parts;
  return async (ctx: Context, next: Next) => {
    const [, action, token = ''] = PATH.exec(ctx.path) ?? [];
    if (action === undefined) return next();
    const method = action === 'upload' ? 'PUT' : 'GET';
    if (ctx.method !== method && !(method === 'GET' && ctx.method === 'HEAD')) {
      const headers = { Allow: method };
      const message = 'This endpoint does not support that method.';
      throw new HttpRefusal(405, 'method_not_allowed', message, { headers });
    }
    const link = readLink(token, method, installation.link_secret, new Date());
    if (!link || !link.key.startsWith(`${ctx.state.tenant.slug}/`)) throw invalidLink();
    await (method === 'PUT'
      ? receiveStoredFile(ctx, parts, link)
      : sendStoredFile(ctx, parts, link));
  };
}

type Store = { pool: DatabasePool; installation: Installation };
type Parts = Store & { intake: Intake };
type Link = NonNullable<ReturnType<typeof readLink>>;

/** Always sent as an attachment, so that browsers never run an uploaded file on our origin. */
async function sendStoredFile(ctx: Context, store: Store, link: Link) {
  const { pool, installation } = store;
  const { key, content_type, filename = 'document' } = link;
  const wasRemoved = (tx: Transaction) => isRemovedKey(tx, key);
  // The file may have been removed after the link was issued, while its bytes still exist.
  if (await within(pool, ctx.state.tenant.id, wasRemoved, { readOnly: true }))
    throw new HttpRefusal(410, 'removed', REMOVED_MESSAGE);
  const file = link.is_sealed
    ? await unsealedStream(store, ctx.state.tenant.id, key)
    : await installation.files.stream(key);
  if (!file) throw new HttpRefusal(404, 'not_found', 'Not found.');
  // Waits for the first bytes, or an error, before it sends a success status.
  await once(file, 'readable').catch((error: unknown) => {
    throw new StoreUnavailable('The file could not be read.', { cause: error });
  });
  // After a later error, the client must not take the truncated file for complete.
  file.once('error', () => ctx.res.destroy());
  ctx.set('Content-Type', content_type);
  const name = encodeURIComponent(filename).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
  ctx.set('Content-Disposition', `attachment; filename*=UTF-8''${name}`);
  ctx.body = file;
}

/** The decrypted content of a sealed file, in constant memory. Null if there is no such file. */
async function unsealedStream({ pool, installation }: Store, tenantId: string, key: string) {
  const sealed = await within(pool, tenantId, (tx) => findFileKey(tx, key), { readOnly: true });
  const stored = sealed && (await installation.files.stream(key));
  if (!sealed || !stored) return null;
  const content = unsealFile(installation.keys.unseal(tenantId, sealed), stored);
  return Readable.from(content, { objectMode: false });
}

/**
 * A file may be replaced until the upload is confirmed. A confirmed file never changes. Both steps lock the
 * document's row.
 */
async function receiveStoredFile(ctx: Context, parts: Parts, { key, content_type }: Link) {
  // A client refused in the middle of a file is still sending, so the connection cannot be reused.
  ctx.set('Connection', 'close');
  if (ctx.request.type !== content_type) {
    const message = `This link accepts only ${content_type}.`;
    throw new HttpRefusal(415, 'unsupported_media_type', message);
  }
  const id = documentIdOfUploadKey(key);
  if (id === null) throw invalidLink();
  const length = Number(ctx.get('Content-Length') || 0);
  const { id: tenantId } = ctx.state.tenant as { id: string };
  const limit = await fetchUploadLimit(parts, tenantId, { id, length });
  const { size, sha256_hash } = await receiveUpload(ctx, parts.intake, id, (content) =>
    storeIncomingFile(parts, tenantId, { id, key, limit, content }),
  );
  ctx.res.removeHeader('Connection');
  ctx.status = 200;
  ctx.body = { file_size: size, sha256_hash };
}

/** The maximum file size, if the document still waits for a file. */
async function fetchUploadLimit(
  { pool }: Store,
  tenantId: string,
  { id, length }: { id: string; length: number },
) {
  const { mayPut, limit } = await within(pool, tenantId, (tx) => fetchUploadAllowance(tx, id), {
    readOnly: true,
  });
  if (!mayPut) throw invalidLink();
  if (length > limit) throw fileTooLarge(limit);
  return limit;
}

type IncomingFile = { id: string; key: string; limit: number; content: AsyncIterable<Uint8Array> };

/** Stores an uploaded file if its document still waits for one. */
const storeIncomingFile = (
  { pool, installation }: Store,
  tenantId: string,
  { id, key, ...file }: IncomingFile,
) =>
  installation.files.put(key, limitBytes(file.content, file.limit), {
    when: (_file, place) =>
      within(pool, tenantId, async (tx) => {
        if (!(await uploads.lockAcceptingUpload(tx, id))) throw invalidLink();
        await place();
      }),
  });

/** Stores a file that arrived with a form, as an upload to the link would. */
export async function storeFormFile(
  parts: Store,
  tenant: { id: string; slug: string },
  { id, size, content }: { id: string; size: number; content: AsyncIterable<Uint8Array> },
) {
  const limit = await fetchUploadLimit(parts, tenant.id, { id, length: size });
  const key = uploadKey(tenant.slug, id);
  return storeIncomingFile(parts, tenant.id, { id, key, limit, content });
}

const fetchUploadAllowance = async (tx: Transaction, id: string) => ({
  mayPut: await uploads.isAcceptingFile(tx, id),
  limit: (await settingsOf(tx)).documents.max_bytes,
});

/** Passes the bytes on. Throws after more than `limit` bytes. */
export async function* limitBytes(source: AsyncIterable<Uint8Array>, limit: number) {
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (size > limit) throw fileTooLarge(limit);
    yield chunk;
  }
}

const invalidLink = () =>
  new HttpRefusal(403, 'link_invalid', 'The link is invalid or has expired. Request a new one.');

const fileTooLarge = (limit: number) =>
  new HttpRefusal(413, 'payload_too_large', `The file is larger than ${limit} bytes.`);
