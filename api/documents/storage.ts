import { once } from 'node:events';
import type { Context, Middleware, Next } from 'koa';
import type { DatabasePool } from 'slonik';
import { StoreUnavailable } from '../../jobs/files/files.ts';
import { documentIdOfUploadKey, uploadKey } from '../../jobs/files/keys.ts';
import { readLink } from '../../jobs/files/links.ts';
import type { Installation } from '../../jobs/installation.ts';
import { settingsOf } from '../../jobs/users/settings.ts';
import type { Transaction } from '../../sql/database/db.ts';
import { within } from '../../sql/database/within.ts';
import { isRemovedKey } from '../../sql/documents/documents.ts';
import { REMOVED_MESSAGE } from '../../sql/documents/removal.ts';
import * as uploads from '../../sql/documents/uploads.ts';
import { HttpRefusal } from '../http/errors.ts';
import { receiveUpload, type Intake } from '../http/receive.ts';

const PATH = /^\/api\/v1\/storage\/(upload|download)\/([\w.-]+)$/;

/**
 * The links to files that are kept here and not in an object store. The link is the permission: it
 * needs no session and no CSRF token, names one file, and dies by itself.
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
    if (!link || !link.key.startsWith(`${ctx.state.tenant.slug}/`)) throw closed();
    await (method === 'PUT' ? put(ctx, parts, link) : get(ctx, parts, link));
  };
}

type Store = { pool: DatabasePool; installation: Installation };
type Parts = Store & { intake: Intake };
type Link = NonNullable<ReturnType<typeof readLink>>;

/** Always as an attachment: nothing that was uploaded runs in our name. */
async function get(ctx: Context, { pool, installation: { files } }: Store, link: Link) {
  const { key, content_type, filename = 'document' } = link;
  const wasRemoved = (tx: Transaction) => isRemovedKey(tx, key);
  // The link may be older than the decision, and the file may still be there.
  if (await within(pool, ctx.state.tenant.id, wasRemoved, { readOnly: true }))
    throw new HttpRefusal(410, 'removed', REMOVED_MESSAGE);
  const file = await files.stream(key);
  if (!file) throw new HttpRefusal(404, 'not_found', 'Not found.');
  // The first bytes, or that there are none, before anything is promised.
  await once(file, 'readable').catch((error: unknown) => {
    throw new StoreUnavailable('The file could not be read.', { cause: error });
  });
  // What breaks later must not look like the end of the file.
  file.once('error', () => ctx.res.destroy());
  ctx.set('Content-Type', content_type);
  const name = encodeURIComponent(filename).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
  ctx.set('Content-Disposition', `attachment; filename*=UTF-8''${name}`);
  ctx.body = file;
}

/**
 * Until the upload is confirmed a file may be replaced; what was confirmed stays as it is. The file
 * takes its place under the lock of its document's row, as the confirmation does.
 */
async function put(ctx: Context, parts: Parts, { key, content_type }: Link) {
  // Whoever is refused in the middle of a file has more to send, and no next request.
  ctx.set('Connection', 'close');
  if (ctx.request.type !== content_type) {
    const message = `This link accepts only ${content_type}.`;
    throw new HttpRefusal(415, 'unsupported_media_type', message);
  }
  const id = documentIdOfUploadKey(key);
  if (id === null) throw closed();
  const length = Number(ctx.get('Content-Length') || 0);
  const { id: tenantId } = ctx.state.tenant as { id: string };
  const limit = await limitOf(parts, tenantId, { id, length });
  const { size, sha256_hash } = await receiveUpload(ctx, parts.intake, id, (content) =>
    take(parts, tenantId, { id, key, limit, content }),
  );
  ctx.res.removeHeader('Connection');
  ctx.status = 200;
  ctx.body = { file_size: size, sha256_hash };
}

/** How large the file may be, while its document waits for one. */
async function limitOf(
  { pool }: Store,
  tenantId: string,
  { id, length }: { id: string; length: number },
) {
  const { mayPut, limit } = await within(pool, tenantId, (tx) => allowance(tx, id), {
    readOnly: true,
  });
  if (!mayPut) throw closed();
  if (length > limit) throw tooLarge(limit);
  return limit;
}

type Taken = { id: string; key: string; limit: number; content: AsyncIterable<Uint8Array> };

/** Puts a file where a link for it leads, if its document still waits for one by then. */
const take = ({ pool, installation }: Store, tenantId: string, { id, key, ...file }: Taken) =>
  installation.files.put(key, limitBytes(file.content, file.limit), {
    when: (_file, place) =>
      within(pool, tenantId, async (tx) => {
        if (!(await uploads.lockAcceptingUpload(tx, id))) throw closed();
        await place();
      }),
  });

/** The same for a file that came with a form: what the browser would have put under the link itself. */
export async function storeFormFile(
  parts: Store,
  tenant: { id: string; slug: string },
  { id, size, content }: { id: string; size: number; content: AsyncIterable<Uint8Array> },
) {
  const limit = await limitOf(parts, tenant.id, { id, length: size });
  const key = uploadKey(tenant.slug, id);
  return take(parts, tenant.id, { id, key, limit, content });
}

const allowance = async (tx: Transaction, id: string) => ({
  mayPut: await uploads.isAcceptingFile(tx, id),
  limit: (await settingsOf(tx)).documents.max_bytes,
});

/** Passes the bytes on, and ends with an error where there are more than allowed. */
export async function* limitBytes(source: AsyncIterable<Uint8Array>, limit: number) {
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    yield chunk;
  }
}

const closed = () =>
  new HttpRefusal(403, 'link_invalid', 'The link is invalid or has expired. Request a new one.');

const tooLarge = (limit: number) =>
  new HttpRefusal(413, 'payload_too_large', `The file is larger than ${limit} bytes.`);
